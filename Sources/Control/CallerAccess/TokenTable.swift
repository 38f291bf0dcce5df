import GatewayOperations

/// The tokens that are taken now. Knows no clock: moments are passed in.
struct TokenTable {
    private var tokens: [String: AccessToken] = [:]
    /// The ids of tokens by the first bytes of their digests: what is looked up says nothing of the rest.
    private var index: [[UInt8]: [String]] = [:]

    /// Whether there is no token at all, not even one whose time is over.
    var isEmpty: Bool { self.tokens.isEmpty }

    /// The tokens in the order of their names.
    var all: [AccessToken] { self.tokens.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) } }

    /// How many callers have made.
    var createdCount: Int { self.tokens.values.count { !$0.isConfigured } }

    subscript(id: String) -> AccessToken? { self.tokens[id] }

    /// The token of a digest. How long it takes says nothing of digests that are known: the whole of each that may be meant is
    /// compared.
    func token(of digest: [UInt8]) -> AccessToken? {
        var found: AccessToken?
        for id in self.index[Self.head(digest)] ?? [] {
            guard let token = self.tokens[id], Self.isEqual(token.digest, digest) else { continue }
            found = token
        }
        return found
    }

    /// Adds a token, or replaces the one of its id.
    mutating func insert(_ token: AccessToken) {
        _ = self.remove(token.id)
        guard token.digest.count == 32 else { return }
        self.tokens[token.id] = token
        self.index[Self.head(token.digest), default: []].append(token.id)
    }

    /// Takes a token out.
    mutating func remove(_ id: String) -> AccessToken? {
        guard let token = self.tokens.removeValue(forKey: id) else { return nil }
        let head = Self.head(token.digest)
        self.index[head]?.removeAll { $0 == id }
        if self.index[head]?.isEmpty == true { self.index[head] = nil }
        return token
    }

    /// When the next of some tokens ends; nil when none does.
    func nextEnd(among ids: some Sequence<String>) -> UTCTime? { ids.compactMap { self.tokens[$0]?.expires }.min() }

    private static func head(_ digest: [UInt8]) -> [UInt8] { Array(digest.prefix(4)) }

    private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
