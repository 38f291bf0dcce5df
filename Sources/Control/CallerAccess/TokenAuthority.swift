import CastTransport
import ControlAPI
import FeatureContract
import GatewayConfig
package import GatewayOperations
import NIOCore
import StateStore
import Synchronization

/// Knows who may use the API: the tokens of the file, those that callers have made, and callers of this machine while there is none.
///
/// A token that ends, by command, by its time or by a reload, ends those who are watched with it. Times of day are asked of a
/// clock that is passed in; the one timer is an event loop's.
package final class TokenAuthority: CallerAuthority, TokenIssuer {
    /// How exactly it is known when a token was used last, in seconds.
    private static let useInterval: Int64 = 3600
    /// Longer than that no timer waits, since the time of day may be set meanwhile.
    private static let longestWait: Int64 = 3600
    /// How many tokens callers may make.
    private static let maximumTokens = 1000

    private struct Watcher {
        let caller: Caller
        let callback: @Sendable (String) -> Void
    }

    private struct State {
        var book = TokenTable()
        var used: [String: UTCTime] = [:]
        var watchers: [String: [UInt64: Watcher]] = [:]
        var nextWatch: UInt64 = 0
        /// Wrong tokens of an address: ten at once, and then one a second. Right ones are taken all the same, since the address may be
        /// that of a proxy, and tokens are too long to be guessed; the limit keeps guessing cheap for the gateway.
        var guesses = TokenBuckets<AddressBlock>(perSecond: 1, burst: 10, limit: 4096)
        var timer: (at: UTCTime, task: Scheduled<Void>)?
        var isClosed = false
    }

    private let store: TokenStore
    /// Why nothing is kept beyond this run; nil when all is.
    private let obstacle: String?
    private let eventLoop: any EventLoop
    private let wallClock: @Sendable () -> Int64
    private let audit: any AuditTrail
    /// Keeps when a token was used; called seldom, on any thread.
    private let keepUse: @Sendable (_ id: String, _ time: UTCTime) -> Void
    private let state: Mutex<State>

    /// Reads the tokens that are kept; blocks.
    /// - Parameters:
    ///   - configured: the tokens of the file.
    ///   - obstacle: why nothing is kept beyond this run; nil when all is.
    ///   - eventLoop: where the timer is.
    ///   - wallClock: seconds since 1970.
    ///   - keepUse: writes down when a token was used; must not block.
    /// - Throws: when the state database cannot be read.
    init(
        store: TokenStore, configured: [APITokenConfiguration], obstacle: String? = nil, audit: any AuditTrail,
        eventLoop: any EventLoop, wallClock: @escaping @Sendable () -> Int64,
        keepUse: @escaping @Sendable (_ id: String, _ time: UTCTime) -> Void
    ) throws {
        self.store = store
        self.obstacle = obstacle
        self.eventLoop = eventLoop
        self.wallClock = wallClock
        self.audit = audit
        self.keepUse = keepUse
        var state = State()
        for (token, used) in try store.load() {
            state.book.insert(token)
            state.used[token.id] = used
        }
        for token in configured { state.book.insert(AccessToken(token)) }
        self.state = Mutex(state)
    }

    private var now: UTCTime { UTCTime(seconds: self.wallClock()) }

    // MARK: Who asks

    package func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller {
        guard let token = credentials.token else { return try self.callerWithoutToken(credentials.address) }
        let digest = TokenText.digest(token)
        let now = self.now
        let (found, isNewUse, wait) = self.state.withLock { state -> (AccessToken?, Bool, TimeAmount?) in
            guard let token = state.book.token(of: digest), !token.isOver(at: now) else {
                return (nil, false, state.guesses.take(AddressBlock(credentials.address), at: self.eventLoop.now))
            }
            let isNewUse = state.used[token.id].map { abs(now.seconds - $0.seconds) >= Self.useInterval } ?? true
            if isNewUse { state.used[token.id] = now }
            return (token, isNewUse && !token.isConfigured, nil)
        }
        if let wait {
            throw .tooOften(ControlAnswer.lastCode, "too many wrong tokens from this address", wait: wait)
        }
        guard let found else {
            // Whether it never was, is over or was revoked is its holder's business alone.
            throw Self.unauthorized("the token is not known, or is over")
        }
        if isNewUse { self.keepUse(found.id, now) }
        return found.caller
    }

    private func callerWithoutToken(_ address: String) throws(OperationProblem) -> Caller {
        guard self.isOpenToLoopback, ListenAddress(host: address, port: 0).isLoopback else {
            throw Self.unauthorized("a token is needed, in the header 'Authorization: Bearer TOKEN'")
        }
        return Self.loopback
    }

    /// The holder of a token, and when the token ends; nil when it is over, was revoked, or is another one by now.
    /// - Parameter generation: which of that id, as ``Caller/generation`` says it.
    package func holder(ofToken id: String, generation: UInt64) -> (caller: Caller, expires: UTCTime?)? {
        let now = self.now
        guard let token = self.state.withLock({ $0.book[id] }), !token.isOver(at: now),
            token.caller.generation == generation
        else { return nil }
        return (token.caller, token.expires)
    }

    /// Whether callers of this machine need no token: while there is none.
    var isOpenToLoopback: Bool { self.state.withLock { $0.book.isEmpty } }

    /// A caller of this machine, while there is no token.
    static let loopback = Caller(name: "loopback", scopes: [.read, .control])

    private static func unauthorized(_ detail: String) -> OperationProblem {
        OperationProblem("unauthorized", status: 401, detail)
    }

    // MARK: Until when

    package func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
        let key = caller.token ?? ""
        let now = self.now
        let (number, reason) = self.state.withLock { state -> (UInt64, String?) in
            if let reason = Self.end(of: caller, in: state.book, at: now) { return (0, reason) }
            state.nextWatch += 1
            state.watchers[key, default: [:]][state.nextWatch] = Watcher(caller: caller, callback: callback)
            return (state.nextWatch, nil)
        }
        if let reason {
            callback(reason)
            return CallerWatch {}
        }
        self.schedule()
        return CallerWatch { [weak self] in
            // What the callback holds goes after the lock.
            _ = self?.state.withLock { state in
                let watcher = state.watchers[key]?.removeValue(forKey: number)
                if state.watchers[key]?.isEmpty == true { state.watchers[key] = nil }
                return watcher
            }
        }
    }

    /// Why a caller is not served any more; nil while it is.
    private static func end(of caller: Caller, in book: TokenTable, at now: UTCTime) -> String? {
        guard let id = caller.token else {
            return caller == Self.loopback && !book.isEmpty ? "a token is needed from now on" : nil
        }
        guard let token = book[id] else { return "the token was revoked" }
        if token.isOver(at: now) { return "the token is over" }
        return token.caller == caller ? nil : "the token has other rights from now on"
    }

    /// Ends the callers that are not served any more, and waits for the next end.
    func settle() {
        let now = self.now
        let over = self.state.withLock { state in
            var over: [(watcher: Watcher, reason: String)] = []
            for (key, watchers) in state.watchers {
                for (number, watcher) in watchers {
                    guard let reason = Self.end(of: watcher.caller, in: state.book, at: now) else { continue }
                    over.append((watcher, reason))
                    state.watchers[key]?[number] = nil
                }
                if state.watchers[key]?.isEmpty == true { state.watchers[key] = nil }
            }
            return over
        }
        for (watcher, reason) in over { watcher.callback(reason) }
        for caller in Set(over.map(\.watcher.caller)) where caller.token != nil {
            self.audit.record(AuditEntry(.tokenEnded, outcome: "connections_closed", caller: caller.name))
        }
        self.schedule()
    }

    /// Sets the timer to the next end of a token that is watched.
    private func schedule() {
        let now = self.now
        self.state.withLock { state in
            guard !state.isClosed, let next = state.book.nextEnd(among: state.watchers.keys) else {
                state.timer?.task.cancel()
                state.timer = nil
                return
            }
            let wait = min(max(next.seconds - now.seconds, 0), Self.longestWait)
            let at = UTCTime(seconds: now.seconds + wait)
            if let timer = state.timer, timer.at <= at, timer.at > now { return }
            state.timer?.task.cancel()
            let task = self.eventLoop.scheduleTask(in: .seconds(wait)) { [weak self] () -> Void in self?.timerFired() }
            state.timer = (at, task)
        }
    }

    private func timerFired() {
        self.state.withLock { $0.timer = nil }
        self.settle()
    }

    /// Ends all waiting.
    func close() {
        let timer = self.state.withLock { state in
            state.isClosed = true
            defer { state.timer = nil }
            return state.timer
        }
        timer?.task.cancel()
    }

    // MARK: Tokens come and go

    /// A token that was made, with what its holder shows, which is known nowhere else.
    package struct Made: Sendable {
        let token: AccessToken
        let text: String
    }

    /// What is known of a token, for its list.
    package struct Listed: Sendable {
        let token: AccessToken
        let used: UTCTime?
        let isOver: Bool
    }

    /// All tokens, in the order of their names.
    var list: [Listed] {
        let now = self.now
        return self.state.withLock { state in
            state.book.all.map { Listed(token: $0, used: state.used[$0.id], isOver: $0.isOver(at: now)) }
        }
    }

    /// Makes a token; blocks.
    /// - Parameter lifetime: in seconds; nil for one that does not end.
    func create(
        name: String, scopes: Set<OperationScope>, devices: [DevicePattern]?, lifetime: Int?
    ) throws(OperationProblem) -> Made {
        guard self.state.withLock({ $0.book.createdCount }) < Self.maximumTokens else {
            throw OperationProblem(
                "too_many_tokens", status: 409, "there are \(Self.maximumTokens) tokens; revoke some first")
        }
        if let obstacle { throw Self.notKept(obstacle) }
        let text = TokenText.make()
        let now = self.now
        let token = AccessToken(
            id: TokenText.makeID(), name: name, digest: TokenText.digest(text), scopes: scopes, devices: devices,
            created: now, expires: lifetime.map { UTCTime(seconds: now.seconds + Int64($0)) })
        do {
            try self.store.insert(token)
        } catch {
            throw Self.notKept(DatabaseErrorText.words(error))
        }
        self.state.withLock { $0.book.insert(token) }
        // Callers of this machine need a token from now on.
        self.settle()
        return Made(token: token, text: text)
    }

    /// Revokes a token, and ends those who use it; blocks.
    /// - Parameter name: its id, or its name when no other token has it.
    func revoke(_ name: String) throws(OperationProblem) -> AccessToken {
        let found = self.state.withLock { state in
            state.book[name].map { [$0] } ?? state.book.all.filter { $0.name == name }
        }
        guard let token = found.first else { throw .missing("unknown_token", "there is no token '\(name)'") }
        guard found.count == 1 else {
            throw OperationProblem(
                "ambiguous_token", status: 409,
                "\(found.count) tokens are called '\(name)': \(found.map(\.id).joined(separator: ", "))")
        }
        guard !token.isConfigured else {
            throw OperationProblem(
                "configured_token", status: 409,
                "the token '\(token.name)' is one of api.tokens in gateway.yaml; remove it there")
        }
        do {
            try self.store.delete(token.id)
        } catch {
            throw Self.notKept(DatabaseErrorText.words(error))
        }
        self.state.withLock { state in
            _ = state.book.remove(token.id)
            state.used[token.id] = nil
        }
        self.settle()
        return token
    }

    /// Whether what callers do to tokens holds after this run.
    var isKept: Bool { self.obstacle == nil }

    package func issue(
        name: String, scopes: Set<OperationScope>, devices: [DevicePattern]?, lifetime: Int?
    ) throws(OperationProblem) -> (id: String, text: String) {
        let made = try self.create(name: name, scopes: scopes, devices: devices, lifetime: lifetime)
        return (made.token.id, made.text)
    }

    package func withdraw(_ id: String) throws(OperationProblem) { _ = try self.revoke(id) }

    private static func notKept(_ reason: String) -> OperationProblem {
        OperationProblem("not_kept", status: 409, "the state cannot be written, so nothing has changed: \(reason)")
    }

    /// Takes the tokens of another configuration; those that are gone or have other rights end.
    func follow(_ configured: [APITokenConfiguration]) {
        let tokens = configured.map { AccessToken($0) }
        self.state.withLock { state in
            let kept = Set(tokens.map(\.id))
            for token in state.book.all where token.isConfigured && !kept.contains(token.id) {
                _ = state.book.remove(token.id)
                state.used[token.id] = nil
            }
            for token in tokens where state.book[token.id] != token {
                if let old = state.book[token.id], old.digest != token.digest {
                    // Another token of the same name: those who showed the old one are not its holders.
                    self.forget(token.id, in: &state)
                }
                state.book.insert(token)
            }
        }
        self.settle()
    }

    private func forget(_ id: String, in state: inout State) {
        state.used[id] = nil
        for watcher in (state.watchers.removeValue(forKey: id) ?? [:]).values {
            self.eventLoop.execute { watcher.callback("the token was replaced") }
        }
    }
}

extension AccessToken {
    /// A token of the file.
    init(_ configuration: APITokenConfiguration) {
        self.init(
            id: "config:\(configuration.name)", name: configuration.name,
            digest: configuration.token.map { TokenText.digest($0.reveal()) }
                ?? TokenText.digest(hexadecimal: configuration.hash ?? ""),
            scopes: Set(configuration.scopes), devices: configuration.devices?.map { DevicePattern($0) }, created: nil,
            expires: configuration.expires)
    }
}
