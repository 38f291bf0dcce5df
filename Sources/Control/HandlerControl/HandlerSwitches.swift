import GatewayConfig
import GatewayCore
import Logging
import StateStore
import Synchronization

/// What operators switch on and off beside the configuration, until the gateway ends or for good.
///
/// Of three that speak about a handler the last one counts: the configuration, what is kept in the state database, what was
/// commanded in this run. A reload of a file with another entry for the handler ends the other two; no other reload does.
/// Calls block while they write, one after the other.
package final class HandlerSwitches: Sendable {
    /// Why a command is not done.
    enum Refusal: Error {
        /// No handler has the name; the one that was probably meant.
        case unknown(suggestion: String?)
        /// What is to be kept cannot be written.
        case notKept(String)
    }

    /// How a handler stands after a command.
    package struct Outcome: Sendable {
        /// The handler's name.
        let name: String
        /// Whether it is asked now; nil for one that is not there.
        let isEnabled: Bool?
        /// Whether that differs from the configuration.
        let isSwitched: Bool
        /// What is kept for the next start; nil for nothing.
        let kept: Bool?
    }

    private struct State {
        /// What was commanded in this run.
        var current: [String: Bool] = [:]
        var kept: [String: Bool] = [:]
    }

    private static let channelPrefix = "channel "

    private let registry: HandlerRegistry
    private let store: HandlerSwitchStore
    /// Why nothing can be kept; nil when it can.
    private let obstacle: String?
    private let logger: Logger
    private let state: Mutex<State>

    /// Takes over what is kept; ``restore()`` puts it in force.
    /// - Parameter obstacle: why what is written is lost at the end; nil when it is not.
    /// - Throws: when the state database cannot be read.
    init(registry: HandlerRegistry, store: HandlerSwitchStore, obstacle: String?, logger: Logger) throws {
        self.registry = registry
        self.store = store
        self.obstacle = obstacle
        self.logger = logger
        self.state = Mutex(State(kept: try store.load()))
    }

    /// What is kept for the next start, by handler.
    var kept: [String: Bool] { self.state.withLock { $0.kept } }

    /// What the configuration says of each handler: whether it is on.
    var configured: [String: Bool] {
        Dictionary(
            self.registry.summaries.map { ($0.name, $0.isEnabled != $0.isSwitched) },
            uniquingKeysWith: { first, _ in first })
    }

    // MARK: Start and reload

    /// Puts what is kept in force, and warns of it: the file alone does not say how the gateway works then.
    func restore() {
        self.state.withLock { state in
            for (name, isEnabled) in state.kept.sorted(by: { $0.key < $1.key }) {
                let isThere = self.registry.setEnabled(isEnabled, name)
                self.logger.warning(
                    isEnabled ? "A handler is on by command, kept" : "A handler is off by command, kept",
                    metadata: [
                        "handler": "\(name)", "back": "castway handler reset",
                        "registered": .stringConvertible(isThere),
                    ])
            }
        }
    }

    /// Follows a reload: a handler of which the file says something else now, so that the registry has given up its switch, is
    /// as the file says, and one that came with the reload is as it was commanded.
    /// - Parameter before: ``configured`` before the reload.
    func follow(from before: [String: Bool]) {
        let now = Dictionary(
            self.registry.summaries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.state.withLock { state in
            let commanded = Set(state.current.keys).union(state.kept.keys)
            let changed = commanded.filter { name in
                guard let before = before[name], let summary = now[name] else { return false }
                let isConfigured = summary.isEnabled != summary.isSwitched
                return isConfigured != before || summary.isEnabled != state.current[name] ?? state.kept[name]
            }.sorted()
            if !changed.isEmpty {
                for name in changed {
                    state.current[name] = nil
                    self.registry.setEnabled(nil, name)
                    self.logger.notice(
                        "The configuration says something else now, so a command is over",
                        metadata: ["handler": "\(name)"])
                }
                let kept = changed.filter { state.kept[$0] != nil }
                do {
                    if !kept.isEmpty { try self.store.forget(kept) }
                    for name in kept { state.kept[name] = nil }
                } catch {
                    self.logger.error(
                        "What is kept cannot be changed", metadata: ["reason": "\(DatabaseErrorText.words(error))"])
                }
            }
            for name in commanded.subtracting(changed) {
                guard let isEnabled = state.current[name] ?? state.kept[name] else { continue }
                self.registry.setEnabled(isEnabled, name)
            }
        }
    }

    // MARK: Commands

    /// Switches what a name stands for.
    /// - Parameter isKept: whether that outlives the gateway.
    func set(_ isEnabled: Bool, _ name: String, isKept: Bool) throws(Refusal) -> [Outcome] {
        let names = try self.resolve(name)
        if isKept, let obstacle { throw .notKept(obstacle) }
        return try self.change { state throws(Refusal) in
            if isKept {
                try Self.write { try self.store.keep(isEnabled, for: names) }
                for name in names { state.kept[name] = isEnabled }
            }
            for name in names {
                state.current[name] = isEnabled
                self.registry.setEnabled(isEnabled, name)
            }
            self.logger.notice(
                isEnabled ? "Handler switched on by command" : "Handler switched off by command",
                metadata: ["handler": "\(name)", "kept": .stringConvertible(isKept)])
            return self.outcomes(names, state)
        }
    }

    /// Goes back to what the configuration says, and keeps nothing.
    func reset(_ name: String) throws(Refusal) -> [Outcome] {
        let names = try self.resolve(name)
        return try self.change { state throws(Refusal) in
            if names.contains(where: { state.kept[$0] != nil }) {
                try Self.write { try self.store.forget(names) }
            }
            for name in names {
                state.kept[name] = nil
                state.current[name] = nil
                self.registry.setEnabled(nil, name)
            }
            self.logger.notice("Handler as configured again", metadata: ["handler": "\(name)"])
            return self.outcomes(names, state)
        }
    }

    private func change(
        _ body: (inout State) throws(Refusal) -> [Outcome]
    ) throws(Refusal) -> [Outcome] {
        let result = self.state.withLock { state -> Result<[Outcome], Refusal> in
            do throws(Refusal) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func write(_ body: () throws -> Void) throws(Refusal) {
        do { try body() } catch { throw .notKept(DatabaseErrorText.words(error)) }
    }

    private func outcomes(_ names: [String], _ state: State) -> [Outcome] {
        let summaries = self.registry.summaries
        return names.compactMap { name in
            let summary = summaries.first { $0.name == name }
            guard summary != nil || state.kept[name] != nil || names.count == 1 else { return nil }
            return Outcome(
                name: name, isEnabled: summary?.isEnabled, isSwitched: summary?.isSwitched ?? false,
                kept: state.kept[name])
        }
    }

    /// The handlers that a name stands for: one, the parts of one that has several, or the channels of a namespace.
    private func resolve(_ name: String) throws(Refusal) -> [String] {
        let known = self.registry.summaries.map(\.name)
        let kept = self.kept
        func isKnown(_ name: String) -> Bool { known.contains(name) || kept[name] != nil }
        if isKnown(name) { return [name] }
        let channel = Self.channelPrefix + name
        let channels = known.filter { $0 == channel || $0.hasPrefix(channel + " ") }
        guard channels.isEmpty else { return channels }
        let shortNames = known.map { String($0.hasPrefix(Self.channelPrefix) ? $0.dropFirst(8) : $0[...]) }
        throw .unknown(suggestion: EditDistance.suggestion(for: name, among: known + shortNames))
    }
}
