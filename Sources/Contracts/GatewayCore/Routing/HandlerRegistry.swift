import Synchronization

/// The handlers of a gateway, which are registered, removed, arranged and switched while messages flow.
///
/// The table of handlers follows from four things: which handlers are registered, the plan, what was switched at run time, and
/// the guard. Every change makes a new table and swaps it whole. A message in progress finishes with the table it began with, so
/// none is lost and none is handled twice.
public final class HandlerRegistry: Sendable {
    private let state = Mutex(HandlerArrangement())
    private let tableVersion = Atomic<UInt64>(0)

    /// Starts without handlers.
    public init() {}

    /// Counts the tables. Asked for every message, where the table itself would cost a lock and a reference.
    var version: UInt64 { self.tableVersion.load(ordering: .acquiring) }

    /// The table in force.
    public var table: HandlerTable { self.state.withLock { $0.table } }

    /// Every registered handler, in the order of the plan; those that it leaves out come last.
    public var summaries: [HandlerSummary] { self.state.withLock { $0.summaries } }

    /// The registered handler of a name, whether it is asked or not.
    public func handler(named name: String) -> (any MessageHandler)? {
        self.state.withLock { $0.handler(named: name) }
    }

    // MARK: Registering

    /// Adds a handler with all its claims, behind those that are there.
    /// - Throws: ``GatewayError`` with `handlerExists` for a name that is taken, `reservedNamespace` for a claim on a
    ///   transport namespace, `invalidClaim` for a prefix without its dot or a claim
    ///   on everything in the handle phase, and `claimConflict` when
    ///   an equal claim is held by another handler, within the limits of the plan. Nothing is added then.
    public func register(_ handler: any MessageHandler) throws(GatewayError) {
        try self.change { arrangement throws(GatewayError) in try arrangement.add([handler]) }
    }

    /// Removes a handler. Messages that it holds keep their deadline.
    /// - Returns: false when no handler has that name.
    @discardableResult
    public func unregister(_ name: String) -> Bool {
        self.changeIfKnown(name) { $0.remove([name]) }
    }

    /// Replaces every handler at once, as the start does.
    /// - Parameters:
    ///   - plan: which of them are asked; nil leaves the plan.
    ///   - guardian: the gateway's guard; nil leaves the one that is there.
    /// - Throws: as ``register(_:)``; the old table stays then.
    public func replaceAll(
        with handlers: [any MessageHandler], following plan: HandlerPlan? = nil,
        guardedBy guardian: (any MessageGuard)? = nil
    ) throws(GatewayError) {
        try self.change { arrangement throws(GatewayError) in
            let known = arrangement.names
            try arrangement.replace(nil, with: handlers)
            arrangement.follow(plan, guardedBy: guardian, known: known)
        }
    }

    /// Replaces the handlers of these names at once by others, which come before those that stay, as a reload does.
    ///
    /// An object that is registered again keeps the circuit breakers of what did not change.
    /// - Parameters: as for ``replaceAll(with:following:guardedBy:)``.
    /// - Throws: as ``register(_:)``; the old table stays then.
    public func replace(
        _ names: Set<String>, with handlers: [any MessageHandler], following plan: HandlerPlan? = nil,
        guardedBy guardian: (any MessageGuard)? = nil
    ) throws(GatewayError) {
        try self.change { arrangement throws(GatewayError) in
            let known = arrangement.names
            try arrangement.replace(names, with: handlers)
            arrangement.follow(plan, guardedBy: guardian, known: known)
        }
    }

    /// Judges ``replace(_:with:following:guardedBy:)`` without doing it.
    /// - Throws: what that would throw now.
    public func checkReplacing(
        _ names: Set<String>, with handlers: [any MessageHandler], following plan: HandlerPlan? = nil
    ) throws(GatewayError) {
        var arrangement = self.state.withLock { $0 }
        let known = arrangement.names
        try arrangement.replace(names, with: handlers)
        arrangement.follow(plan, guardedBy: nil, known: known)
        try arrangement.makeTable()
    }

    /// Puts a handler in the place of the one of its name, with the claims it has now and closed
    /// circuit breakers. Others keep their order and their breakers.
    /// - Throws: As ``register(_:)``; the old table stays then. `unavailable` when no handler has that name.
    public func renew(_ handler: any MessageHandler) throws(GatewayError) {
        try self.change { arrangement throws(GatewayError) in try arrangement.renew(handler) }
    }

    // MARK: Arranging

    /// Takes another plan: makes the table anew and swaps it.
    ///
    /// A handler that was switched by ``setEnabled(_:_:)`` stays so, unless the plan says of it something else than before.
    /// - Parameter guardian: the gateway's guard; nil leaves the one that is there.
    /// - Throws: `claimConflict` when handlers that the plan enables own the same; the old plan stays then.
    public func follow(_ plan: HandlerPlan, guardedBy guardian: (any MessageGuard)? = nil) throws(GatewayError) {
        try self.change { arrangement in
            arrangement.follow(plan, guardedBy: guardian, known: arrangement.names)
        }
    }

    /// Switches a handler on or off at run time, over the plan.
    ///
    /// What is switched on beside an equal claim of another handler is no conflict: the order of the plan decides which is asked
    /// first. A handler that the plan leaves out comes behind all others. What is said of a handler that is not there holds from
    /// the moment it comes: no message reaches one in between that is switched off.
    /// - Parameter isEnabled: nil goes back to what the plan says.
    /// - Returns: false when no handler has that name yet.
    @discardableResult
    public func setEnabled(_ isEnabled: Bool?, _ name: String) -> Bool {
        self.state.withLock { $0.switches[name] = isEnabled }
        return self.changeIfKnown(name) { _ in }
    }

    // MARK: Changing

    private func change(_ change: (inout HandlerArrangement) throws(GatewayError) -> Void) throws(GatewayError) {
        let result = self.state.withLock { state -> Result<Void, GatewayError> in
            var arrangement = state
            do throws(GatewayError) {
                try change(&arrangement)
                try arrangement.makeTable()
            } catch {
                return .failure(error)
            }
            state = arrangement
            self.tableVersion.wrappingAdd(1, ordering: .releasing)
            return .success(())
        }
        try result.get()
    }

    /// Does what cannot bring claims into conflict, for a handler that is there.
    private func changeIfKnown(_ name: String, _ change: (inout HandlerArrangement) -> Void) -> Bool {
        self.state.withLock { state in
            guard state.handler(named: name) != nil else { return false }
            change(&state)
            state.makeTableUnchecked()
            self.tableVersion.wrappingAdd(1, ordering: .releasing)
            return true
        }
    }
}
