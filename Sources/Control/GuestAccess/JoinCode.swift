import CastIdentity
import GatewayOperations

/// What a join code gives to the guest who redeems it.
struct JoinGrant: Sendable, Hashable {
    var devices: [DevicePattern]
    /// Whether the guest's address may connect to those of them that are virtual, as a sender.
    var connects: Bool
    /// What the holder of the token may do that the guest gets; empty for no token.
    var scopes: Set<OperationScope>
    /// For how long the guest may do all that, in seconds.
    var stay: Int

    /// Whether a caller may give it: it may use those devices, and has those scopes.
    func mayBeGiven(by caller: Caller) -> Bool {
        self.scopes.isSubset(of: caller.scopes) && Self.covers(self.devices, caller)
    }

    /// Whether a caller may use all devices that patterns mean.
    static func covers(_ devices: [DevicePattern], _ caller: Caller) -> Bool {
        guard let own = caller.devices else { return true }
        return devices.allSatisfy { device in
            own.contains(device) || (!device.text.contains("*") && caller.mayUse(device: device.text))
        }
    }
}

/// A join code: what it gives, to how many, until when; and the hashes by which it is recognised.
package struct JoinCode: Sendable, Hashable {
    /// How many wrong digits may be tried while a code is there, at all addresses together. Of 10⁸ codes these are two in a million.
    static let maximumAttempts = 200

    /// By which it is revoked: `j-` and ten letters and digits.
    let id: String
    /// What its guests are called.
    let name: String
    /// ``StretchedHash`` of its digits.
    let digits: [UInt8]
    /// SHA-256 of what its link carries.
    let link: [UInt8]
    /// What it gives.
    let grant: JoinGrant
    /// How many guests may redeem it.
    let uses: Int
    /// How many have.
    var used = 0
    /// How many wrong digits were tried since it was made.
    var attempts = 0
    /// The caller that made it.
    let maker: Maker
    let created: UTCTime
    /// From when it can be redeemed.
    let starts: UTCTime
    let expires: UTCTime

    /// Who made a code. One who has a token may have less rights when the code is redeemed.
    struct Maker: Sendable, Hashable {
        /// What the caller is called.
        let name: String
        /// The id of its token, and which of that id; nil for a caller without one.
        let token: String?
        let generation: UInt64

        init(_ caller: Caller) {
            self.init(name: caller.name, token: caller.token, generation: caller.generation)
        }

        init(name: String, token: String?, generation: UInt64) {
            self.name = name
            self.token = token
            self.generation = generation
        }
    }

    /// Whether its time is over.
    func isOver(at now: UTCTime) -> Bool { self.expires <= now }

    /// Whether its digits are not taken any more, since too many wrong ones were tried.
    var isExhausted: Bool { self.attempts >= Self.maximumAttempts }

    /// How it is.
    func state(at now: UTCTime) -> State {
        if self.isOver(at: now) { return .over }
        if self.starts > now { return .pending }
        if self.used >= self.uses { return .used }
        return self.isExhausted ? .exhausted : .open
    }

    /// How a code is.
    package enum State: String, Sendable, CaseIterable {
        /// It can be redeemed later. Until then no digits are compared with it, and none are counted to it.
        case pending
        /// It can be redeemed.
        case open
        /// It can be redeemed by its link alone.
        case exhausted
        /// As many guests have redeemed it as may.
        case used
        /// Its time is over.
        case over
    }
}

/// A person who has redeemed a code: what the guest may do, and until when.
package struct Guest: Sendable, Hashable {
    /// By which the guest checks out: `g-` and ten letters and digits.
    let id: String
    /// What the guest is called.
    let name: String
    /// The id of the code.
    let code: String
    /// The address that may connect as a sender; nil for a guest who got a token alone.
    let address: String?
    let devices: [DevicePattern]
    /// The id of the guest's token; nil for none.
    let token: String?
    let joined: UTCTime
    let expires: UTCTime

    /// Whether the guest's time is over.
    func isOver(at now: UTCTime) -> Bool { self.expires <= now }

    /// Whether the guest may use a device.
    func mayUse(device: String) -> Bool { self.devices.contains { $0.matches(device) } }
}

/// An app that a guest has joined on a virtual device.
struct GuestSession: Sendable, Hashable {
    /// The virtual device.
    let device: String
    /// The app's session id.
    let session: String
}

/// What a guest shows: the digits of a code, or what its link carries.
enum ShownCode: Sendable, Hashable {
    case digits(String)
    case link(String)

    /// How many digits a code has: short enough to be typed, and too many to be guessed with ``JoinCode/maximumAttempts``.
    static let digitCount = 8
    /// How many characters of 6 random bits a link carries: 132 bits.
    static let linkLength = 22
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let idAlphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
    private static let idLength = 10

    /// Reads what a guest typed, or what a link ends in; nil for what can be neither.
    ///
    /// Blanks and dashes between digits do not count.
    init?(_ text: String) {
        let bytes = Array(text.utf8.drop { $0 == UInt8(ascii: " ") })
        let digits = bytes.filter { ![UInt8(ascii: " "), UInt8(ascii: "-")].contains($0) }
        if digits.count == Self.digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }), bytes.count <= 32 {
            self = .digits(String(decoding: digits, as: UTF8.self))
        } else if bytes.count == Self.linkLength, bytes.allSatisfy(Self.alphabet.contains) {
            self = .link(String(decoding: bytes, as: UTF8.self))
        } else {
            return nil
        }
    }

    /// Reads what a caller passes on: the digits, the link, or what it ends in.
    init?(linkOrCode text: String) {
        guard let range = text.ranges(of: "/j/").last else {
            self.init(text)
            return
        }
        self.init(String(text[range.upperBound...]))
    }

    /// New digits.
    static func makeDigits() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<Self.digitCount).map { _ in Array("0123456789")[Int.random(in: 0..<10, using: &generator)] })
    }

    /// What a new link carries.
    static func makeLink() -> String {
        var generator = SystemRandomNumberGenerator()
        let characters = (0..<Self.linkLength).map { _ in Self.alphabet[Int(generator.next() & 63)] }
        return String(decoding: characters, as: UTF8.self)
    }

    /// A new id.
    /// - Parameter prefix: `j-` for codes, `g-` for guests.
    static func makeID(_ prefix: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<Self.idLength).map { _ in
            Self.idAlphabet[Int.random(in: 0..<Self.idAlphabet.count, using: &generator)]
        }
        return prefix + String(letters)
    }

    /// The digits as people read them: `4827 1935`.
    static func readable(_ digits: String) -> String { "\(digits.prefix(4)) \(digits.dropFirst(4))" }

    /// The hash by which what a guest shows is recognised; blocks for some milliseconds when it is digits.
    /// - Throws: `IdentityError`.
    func digest(salt: [UInt8]) throws(IdentityError) -> [UInt8] {
        switch self {
        case .digits(let text): try StretchedHash.digest(of: text, salt: salt)
        // Long and random, so that no slow hash is needed.
        case .link(let text): try HashAlgorithm.sha256.digest(of: Array(text.utf8))
        }
    }
}

/// Compares hashes in a time that does not depend on where they differ.
enum HashComparison {
    static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count, !left.isEmpty else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
