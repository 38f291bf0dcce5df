import CastWire
import Synchronization

/// The handlers of a gateway, which are registered and removed while messages flow.
///
/// Every change makes a new table and swaps it whole. A message in progress finishes with the table it began with,
/// so none is lost and none is handled twice.
public final class HandlerRegistry: Sendable {
    private struct State {
        var table = HandlerTable.empty
        var nextEntryID: UInt64 = 1
    }

    private let state = Mutex(State())
    private let tableVersion = Atomic<UInt64>(0)

    /// Starts without handlers.
    public init() {}

    /// Counts the tables. Asked for every message, where the table itself would cost a lock and a reference.
    var version: UInt64 { self.tableVersion.load(ordering: .acquiring) }

    /// The table in force.
    public var table: HandlerTable { self.state.withLock { $0.table } }

    /// Adds a handler with all its claims, behind those that are there.
    /// - Throws: ``GatewayError`` with `handlerExists` for a name that is taken, `reservedNamespace` for a claim on a
    ///   transport namespace, `invalidClaim` for a prefix without its dot or a claim
    ///   on everything in the handle phase, and `claimConflict` when
    ///   an equal claim is held by another handler. Nothing is added then.
    public func register(_ handler: any MessageHandler) throws(GatewayError) {
        try self.replaceAll(adding: [handler], keeping: { _ in true })
    }

    /// Removes a handler. Messages that it holds keep their deadline.
    /// - Returns: false when no handler has that name.
    @discardableResult
    public func unregister(_ name: String) -> Bool {
        self.state.withLock { state in
            let kept = state.table.entries.filter { $0.handler.name != name }
            guard kept.count < state.table.entries.count else { return false }
            state.table = HandlerTable(entries: kept)
            self.tableVersion.wrappingAdd(1, ordering: .releasing)
            return true
        }
    }

    /// Replaces every handler at once, as a reload does.
    /// - Throws: as ``register(_:)``; the old table stays then.
    public func replaceAll(with handlers: [any MessageHandler]) throws(GatewayError) {
        try self.replaceAll(adding: handlers, keeping: { _ in false })
    }

    /// Replaces the handlers of these names at once by others, which come before those that stay.
    /// - Throws: as ``register(_:)``; the old table stays then.
    public func replace(_ names: Set<String>, with handlers: [any MessageHandler]) throws(GatewayError) {
        try self.replaceAll(adding: handlers, keeping: { !names.contains($0.handler.name) }, isBefore: true)
    }

    /// Judges ``replace(_:with:)`` without doing it.
    /// - Throws: what that would throw now.
    public func checkReplacing(_ names: Set<String>, with handlers: [any MessageHandler]) throws(GatewayError) {
        var entries = self.table.entries.filter { !names.contains($0.handler.name) }
        var nextEntryID: UInt64 = 0
        for handler in handlers { try Self.add(handler, to: &entries, nextEntryID: &nextEntryID) }
    }

    /// Puts a handler in the place of the one of its name, with the claims it has now and closed
    /// circuit breakers. Others keep their order and their breakers.
    /// - Throws: As ``register(_:)``; the old table stays then. `unavailable` when no handler has that name.
    public func renew(_ handler: any MessageHandler) throws(GatewayError) {
        let result = self.state.withLock { state -> Result<Void, GatewayError> in
            let name = handler.name
            guard let place = state.table.entries.firstIndex(where: { $0.handler.name == name }) else {
                return .failure(GatewayError(.unavailable, "no handler named '\(name)' is registered"))
            }
            var entries = state.table.entries.filter { $0.handler.name != name }
            let keptCount = entries.count
            var nextEntryID = state.nextEntryID
            do throws(GatewayError) {
                try Self.add(handler, to: &entries, nextEntryID: &nextEntryID)
            } catch {
                return .failure(error)
            }
            let own = entries[keptCount...]
            entries = Array(entries[..<place] + own + entries[place..<keptCount])
            state.nextEntryID = nextEntryID
            state.table = HandlerTable(entries: entries)
            self.tableVersion.wrappingAdd(1, ordering: .releasing)
            return .success(())
        }
        try result.get()
    }

    private func replaceAll(
        adding handlers: [any MessageHandler], keeping isKept: (HandlerTable.Entry) -> Bool, isBefore: Bool = false
    ) throws(GatewayError) {
        let result = self.state.withLock { state -> Result<Void, GatewayError> in
            var entries = state.table.entries.filter(isKept)
            var nextEntryID = state.nextEntryID
            do throws(GatewayError) {
                for handler in handlers {
                    try Self.add(handler, to: &entries, nextEntryID: &nextEntryID)
                }
            } catch {
                return .failure(error)
            }
            let keptCount = state.table.entries.count { isKept($0) }
            if isBefore { entries = Array(entries[keptCount...] + entries[..<keptCount]) }
            state.nextEntryID = nextEntryID
            state.table = HandlerTable(entries: entries)
            self.tableVersion.wrappingAdd(1, ordering: .releasing)
            return .success(())
        }
        try result.get()
    }

    private static func add(
        _ handler: any MessageHandler, to entries: inout [HandlerTable.Entry], nextEntryID: inout UInt64
    ) throws(GatewayError) {
        let name = handler.name
        guard !entries.contains(where: { $0.handler.name == name }) else {
            throw GatewayError(.handlerExists, "a handler named '\(name)' is registered already")
        }
        for claim in handler.claims {
            if claim.pattern.isReserved {
                throw GatewayError(
                    .reservedNamespace, "'\(claim.pattern)' belongs to the gateway, '\(name)' cannot claim it")
            }
            if case .prefix(let prefix) = claim.pattern, !prefix.hasSuffix(".") || prefix.count < 2 {
                throw GatewayError(.invalidClaim, "'\(name)' claims the prefix '\(prefix)', which ends in no dot")
            }
            if claim.pattern == .any, claim.phase == .handle {
                throw GatewayError(.invalidClaim, "'\(name)' claims every namespace; only filters and observers may")
            }
            if let other = HandlerTable(entries: entries).conflict(with: claim), other.handler.name != name {
                throw GatewayError(
                    .claimConflict, "'\(name)' and '\(other.handler.name)' both claim '\(claim.pattern)' to handle it")
            }
            entries.append(HandlerTable.Entry(handler: handler, claim: claim, id: nextEntryID))
            nextEntryID += 1
        }
    }
}
