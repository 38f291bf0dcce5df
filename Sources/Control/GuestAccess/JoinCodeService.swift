import CastIdentity
import ControlAPI
import FeatureContract
import GatewayCore
import GatewayMetrics
import GatewayOperations
import Logging
import NIOCore
import StateStore
import Synchronization

/// Makes join codes, and exchanges them for what they give.
///
/// Every method blocks, for the state database and for the slow hash of digits, and holds one lock meanwhile but for the hash: they are
/// called on threads of a pool. What is asked on event loops is in ``GuestTable``, and waits for none of it.
package final class JoinCodeService: Sendable {
    /// How many codes and guests there may be.
    struct Capacity: Sendable {
        var codes = 1000
        var guests = 10_000
    }

    /// What a guest gets who has redeemed a code.
    struct Redeemed: Sendable {
        let guest: Guest
        /// The guest's token, which is known nowhere else; nil for a code without one.
        let token: String?
        /// Whether the address was no guest of the code before.
        let isNew: Bool
    }

    private struct State {
        var codes: [String: JoinCode]
        var recent = RecentTokens()
    }

    package let register: GuestRegistry
    private let store: JoinStore
    private let authority: any TokenIssuer
    private let context: GuestContext
    private let capacity: Capacity
    private let state: Mutex<State>
    private let attempts = Mutex(JoinAttempts())

    /// Reads what is kept; blocks.
    /// - Throws: when the state database cannot be read.
    init(
        store: JoinStore, authority: any TokenIssuer, context: GuestContext, capacity: Capacity = Capacity()
    ) throws {
        self.store = store
        self.authority = authority
        self.context = context
        self.capacity = capacity
        self.register = try GuestRegistry(store: store, authority: authority, context: context)
        self.state = Mutex(State(codes: Dictionary(uniqueKeysWithValues: try store.codes().map { ($0.id, $0) })))
    }

    private var now: UTCTime { UTCTime(seconds: self.context.wallClock()) }

    // MARK: Codes

    /// Makes a code.
    /// - Parameters:
    ///   - name: what its guests are called.
    ///   - uses: how many guests may redeem it.
    ///   - start: from when it can be redeemed; from now on when that is over, or nil.
    ///   - lifetime: for how long it can be redeemed then, in seconds.
    /// - Returns: what is kept of it, its digits, and what its link carries; both are known nowhere else.
    func create(
        name: String, grant: JoinGrant, uses: Int, from start: UTCTime? = nil, lifetime: Int, for caller: Caller
    ) throws(OperationProblem) -> (code: JoinCode, digits: String, link: String) {
        self.settle()
        try self.refuseGuests(caller, "let others in")
        if let obstacle = self.context.obstacle { throw GuestContext.notKept(obstacle) }
        let now = self.now
        let starts = max(now, start ?? now)
        let (digits, link) = (ShownCode.makeDigits(), ShownCode.makeLink())
        let code: JoinCode
        do {
            code = JoinCode(
                id: ShownCode.makeID("j-"), name: name,
                digits: try ShownCode.digits(digits).digest(salt: self.store.salt),
                link: try ShownCode.link(link).digest(salt: self.store.salt), grant: grant, uses: uses,
                maker: JoinCode.Maker(caller), created: now, starts: starts,
                expires: UTCTime(seconds: starts.seconds + Int64(lifetime)))
            try self.state.withLock { state in
                guard state.codes.count < self.capacity.codes else {
                    throw OperationProblem(
                        "too_many_codes", status: 409, "there are \(self.capacity.codes) codes; revoke some first")
                }
                try self.store.insert(code)
                state.codes[code.id] = code
            }
        } catch let problem as OperationProblem {
            throw problem
        } catch {
            throw GuestContext.notKept(DatabaseErrorText.words(error))
        }
        self.context.record(.joinCodeCreated, code.id, caller: caller.name)
        self.context.publish(
            .codeCreated(code: code.id, name: name, devices: grant.devices.map(\.text), by: caller.name))
        return (code, digits, link)
    }

    /// The codes, the oldest first; those whose time is over are forgotten.
    var codes: [(code: JoinCode, state: JoinCode.State)] {
        self.settle()
        let now = self.now
        return self.state.withLock { Array($0.codes.values) }
            .sorted { ($0.created.seconds, $0.id) < ($1.created.seconds, $1.id) }
            .map { ($0, $0.state(at: now)) }
    }

    /// How many codes there are of each state, as is known without the disk.
    var counts: [JoinCode.State: Int] {
        let now = self.now
        return self.state.withLock { state in
            state.codes.values.reduce(into: [:]) { $0[$1.state(at: now), default: 0] += 1 }
        }
    }

    /// Refuses callers with a guest's token.
    /// - Parameter what: what a guest cannot do: `let others in`.
    /// - Throws: `guest_not_allowed` (403).
    func refuseGuests(_ caller: Caller, _ what: String) throws(OperationProblem) {
        guard let token = caller.token, self.register.book.guest(withToken: token) != nil else { return }
        throw OperationProblem("guest_not_allowed", status: 403, "a guest cannot \(what)")
    }

    /// Revokes a code: from now on it cannot be redeemed. Guests who have redeemed it stay.
    /// - Throws: `guest_not_allowed` (403), `unknown_code` (404), `not_kept` (409).
    func revoke(_ id: String, by caller: Caller) throws(OperationProblem) -> JoinCode {
        self.settle()
        try self.refuseGuests(caller, "revoke codes")
        let code: JoinCode
        do {
            code = try self.state.withLock { state in
                guard let code = state.codes[id], JoinGrant.covers(code.grant.devices, caller) else {
                    throw OperationProblem.missing("unknown_code", "there is no join code '\(id)'")
                }
                try self.store.delete(codes: [id])
                state.codes[id] = nil
                return code
            }
        } catch let problem as OperationProblem {
            throw problem
        } catch {
            throw GuestContext.notKept(DatabaseErrorText.words(error))
        }
        self.context.record(.joinCodeRevoked, code.id, caller: caller.name)
        self.context.publish(.codeRevoked(code: code.id, name: code.name, by: caller.name))
        return code
    }

    /// Revokes the codes that are for a device, as far as they can be redeemed now: those that start later are for the next guests.
    func revokeCodes(for device: String, by caller: Caller) throws(OperationProblem) -> [JoinCode] {
        var revoked: [JoinCode] = []
        for (code, state) in self.codes
        where [.open, .exhausted].contains(state) && code.grant.devices.contains(where: { $0.matches(device) })
            && JoinGrant.covers(code.grant.devices, caller)
        {
            revoked.append(try self.revoke(code.id, by: caller))
        }
        return revoked
    }

    // MARK: Redeeming

    /// Exchanges what a guest shows for what the code gives.
    ///
    /// Digits are judged only while the address may try: an attempt is counted before it is looked at. A right link is taken always,
    /// since links are too long to be guessed.
    /// - Parameters:
    ///   - address: of the guest; nil when it is not known.
    ///   - counted: whom wrong codes are counted to, when the address is not known.
    ///   - caller: who redeems it for the guest: codes for other devices than the caller's are unknown then, and bear none of its wrong
    ///     digits.
    /// - Throws: `guest_not_allowed` (403); `too_many_attempts` (429); `code_refused` (403), which says nothing of why; `address_not_usable` (409) for a code
    ///   that lets an address connect, and no IPv4 address; `too_many_guests` (409); `not_kept` (409).
    func redeem(
        _ shown: ShownCode, from address: String?, counted: String, by caller: Caller? = nil
    ) throws(OperationProblem) -> Redeemed {
        let counted = address ?? counted
        do {
            if let caller { try self.refuseGuests(caller, "redeem codes for others") }
            if case .digits = shown { try self.beginAttempt(counted) }
            self.settle()
            let digest = try shown.digest(salt: self.store.salt)
            let (code, result) = self.state.withLock { state -> (JoinCode?, Result<Redeemed?, any Error>) in
                guard let code = self.find(shown, digest, for: caller, in: state) else { return (nil, .success(nil)) }
                return (code, Result { try self.admit(by: code, address, &state) })
            }
            // A right code that gives nothing now, for want of an IPv4 address for example, is no wrong one.
            if case .digits = shown, code != nil {
                if case .success(nil) = result {} else { self.attempts.withLock { $0.succeeded(from: counted) } }
            }
            guard let code, let made = try result.get() else {
                if case .link = shown { try self.beginAttempt(counted) }
                if case .digits = shown { self.countWrongDigits(for: caller) }
                throw Self.refused
            }
            self.context.count("redeemed")
            guard made.isNew else { return made }
            self.context.record(.guestJoined, made.guest.id, caller: code.id, address: address)
            self.context.publish(
                .codeRedeemed(
                    code: code.id, guest: made.guest.id, name: made.guest.name,
                    devices: made.guest.devices.map(\.text), address: made.guest.address))
            return made
        } catch let problem as OperationProblem {
            self.context.count(problem.code)
            self.context.record(.joinRefused, problem.code, address: counted)
            throw problem
        } catch {
            self.context.count("not_kept")
            throw GuestContext.notKept(DatabaseErrorText.words(error))
        }
    }

    private static let refused = OperationProblem(
        "code_refused", status: 403, "the code is not known, is over, or was redeemed already")

    private func beginAttempt(_ counted: String) throws(OperationProblem) {
        let now = self.context.eventLoop.now
        guard let wait = self.attempts.withLock({ $0.begin(from: counted, at: now) }) else { return }
        throw .tooOften(ControlAnswer.lastCode, "too many wrong codes from this address", wait: wait)
    }

    /// The code that is meant. All are compared, whichever it is.
    private func find(_ shown: ShownCode, _ digest: [UInt8], for caller: Caller?, in state: State) -> JoinCode? {
        let now = self.now
        var found: JoinCode?
        for code in state.codes.values where Self.isFor(caller, code) {
            let isMeant: Bool
            switch shown {
            case .digits: isMeant = HashComparison.isEqual(code.digits, digest) && !code.isExhausted
            case .link: isMeant = HashComparison.isEqual(code.link, digest)
            }
            if isMeant, code.starts <= now, !code.isOver(at: now) { found = code }
        }
        return found
    }

    private static func isFor(_ caller: Caller?, _ code: JoinCode) -> Bool {
        caller.map { JoinGrant.covers(code.grant.devices, $0) } ?? true
    }

    /// Makes a guest of one who has shown the right code; nil when the code gives nothing any more.
    private func admit(
        by shown: JoinCode, _ address: String?, _ state: inout State
    ) throws -> Redeemed? {
        if let again = address.flatMap({ self.register.book.guest(of: shown.id, at: $0) }), again.token == nil {
            return Redeemed(guest: again, token: nil, isNew: false)
        }
        let code = try self.takeBack(shown, address, &state)
        guard code.used < code.uses, let end = self.end(of: code) else { return nil }
        if code.grant.connects, !(address.map(Self.isUsable) ?? false) {
            throw OperationProblem(
                "address_not_usable", status: 409,
                "the right to connect goes with an IPv4 address, since phones change the others; open the page by its IPv4 address"
            )
        }
        guard self.register.book.count < self.capacity.guests else {
            throw OperationProblem("too_many_guests", status: 409, "there are \(self.capacity.guests) guests")
        }
        let now = self.now
        let token =
            try code.grant.scopes.isEmpty
            ? nil
            : self.authority.issue(
                name: code.name, scopes: code.grant.scopes, devices: code.grant.devices,
                lifetime: Int(max(1, end.seconds - now.seconds)))
        let guest = Guest(
            id: ShownCode.makeID("g-"), name: code.name, code: code.id, address: code.grant.connects ? address : nil,
            devices: code.grant.devices, token: token?.id, joined: now, expires: end)
        var redeemed = code
        redeemed.used += 1
        do {
            try self.store.insert(guest, of: redeemed)
        } catch {
            // It was never handed out.
            if let token { try? self.authority.withdraw(token.id) }
            throw error
        }
        state.codes[code.id] = redeemed
        self.register.add(guest)
        if guest.token != nil, let address { state.recent.note(guest.id, of: code.id, at: address, now) }
        return Redeemed(guest: guest, token: token?.text, isNew: true)
    }

    /// Takes back the token that a code for one guest gave to the same address a moment ago: who sends a form twice sees the last
    /// answer alone.
    /// - Returns: the code, as it is then.
    private func takeBack(_ code: JoinCode, _ address: String?, _ state: inout State) throws -> JoinCode {
        guard code.uses == 1, let address, let id = state.recent.take(of: code.id, at: address, self.now),
            let guest = self.register.book[id]
        else { return code }
        try self.register.withdraw(guest)
        var unused = code
        unused.used -= 1
        state.codes[code.id] = unused
        return unused
    }

    /// Until when a guest of a code may stay: no longer than the token of the caller that made it is good. Nil when the caller might
    /// not make the code now.
    private func end(of code: JoinCode) -> UTCTime? {
        let end = UTCTime(seconds: self.now.seconds + Int64(code.grant.stay))
        guard let token = code.maker.token else { return end }
        guard let holder = self.authority.holder(ofToken: token, generation: code.maker.generation),
            code.grant.mayBeGiven(by: holder.caller)
        else { return nil }
        return holder.expires.map { min($0, end) } ?? end
    }

    /// Whether an address says which sender it is: an IPv4 address.
    private static func isUsable(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        // In the one spelling that senders' addresses have.
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
    }

    /// Counts wrong digits to every code whose digits they might have been.
    private func countWrongDigits(for caller: Caller?) {
        let now = self.now
        let exhausted = self.state.withLock { state in
            var changed: [JoinCode] = []
            for var code in state.codes.values where code.state(at: now) == .open && Self.isFor(caller, code) {
                code.attempts += 1
                state.codes[code.id] = code
                changed.append(code)
            }
            do {
                try self.store.setAttempts(changed)
            } catch {
                self.context.logger.warning(
                    "How often wrong digits were tried is not kept", metadata: ["reason": "\(error)"])
            }
            return changed.filter(\.isExhausted)
        }
        for code in exhausted {
            self.context.logger.warning(
                "The digits of a join code are not taken any more: too many wrong ones were tried",
                metadata: ["code": "\(code.id)", "attempts": .stringConvertible(code.attempts)])
            self.context.record(.joinCodeExhausted, code.id)
            self.context.publish(.codeExhausted(code: code.id, name: code.name, attempts: code.attempts))
        }
    }

    // MARK: Time

    /// Forgets codes that are over, and has guests leave whose time is over; blocks.
    func settle() {
        let now = self.now
        self.state.withLock { state in
            let over = state.codes.values.filter { $0.isOver(at: now) }.map(\.id)
            do {
                try self.store.delete(codes: over)
                for id in over { state.codes[id] = nil }
            } catch {
                // They are over all the same.
                self.context.logger.warning("Join codes are not forgotten", metadata: ["reason": "\(error)"])
            }
        }
        self.register.settle()
    }
}
