package import GatewayCore
package import PluginKit
import Synchronization

/// Everything that was made ready for another configuration of the plugins, and is not in force yet.
package struct PluginsUpdate: Sendable {
    let fleet: PluginFleet
    var updates: [PluginUpdate] = []
    var removed: [PluginService] = []

    init(fleet: PluginFleet) {
        self.fleet = fleet
    }

    /// The handlers afterwards, in the order of `gateway.yaml`: to be registered before ``commit()``.
    package var handlers: [any MessageHandler] { self.updates.map(\.handler) }

    /// Lets the new processes begin their work: the last step before the handlers are registered, which then change all at once, and
    /// only if every process is there to answer.
    /// - Throws: ``PluginNotReady``; ``undo()`` is to be called then.
    package func begin() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for update in self.updates {
                guard let run = update.trial else { continue }
                group.addTask { try await update.service.begin(run, update.new) }
            }
            try await group.waitForAll()
        }
    }

    /// Puts everything in force; the handlers are registered. What is old ends behind it.
    package func commit() async {
        self.fleet.replace(with: self.updates.map(\.service))
        await withTaskGroup(of: Void.self) { group in
            for update in self.updates { group.addTask { await Self.commit(update) } }
        }
        for service in self.removed { service.finish() }
    }

    private static func commit(_ update: PluginUpdate) async {
        let service = update.service
        switch update.way {
        case .keep: break
        case .inPlace: await service.follow(update.new)
        case .restart: await service.follow(update.new, restarts: true)
        case .replace(let run), .add(.some(let run)): await service.swap(to: run, update.new)
        case .add(nil): if update.new.isEnabled { service.enable() } else { service.disable() }
        }
    }

    /// Gives everything up: what was told is told the old configuration, and what was started is ended.
    package func undo() async {
        for update in self.updates {
            switch update.way {
            case .keep, .restart: break
            case .inPlace(let wasTold):
                if wasTold { _ = try? await update.service.tell(update.old) }
            case .replace(let run): run.endNow()
            case .add: update.service.finish()
            }
        }
    }
}

/// A plugin's part in a reload.
struct PluginUpdate: Sendable {
    enum Way: Sendable {
        case keep
        /// It was told the new configuration and took it, or need not be told; undone by telling it the old one.
        case inPlace(wasTold: Bool)
        /// Another process was initialized, and takes the place of the one that runs.
        case replace(PluginRun)
        /// The old process ends before the new one begins, or none runs.
        case restart
        /// It is new; without a run it is switched off, or another service starts it.
        case add(PluginRun?)
    }

    let service: PluginService
    let old: PluginInstance
    let new: PluginInstance
    let way: Way

    /// The run that was started for this update, until it is committed.
    var trial: PluginRun? {
        switch self.way {
        case .replace(let run), .add(.some(let run)): run
        case .keep, .inPlace, .restart, .add(nil): nil
        }
    }

    /// The handler from the moment when the new configuration is in force.
    var handler: any MessageHandler {
        switch self.way {
        case .keep: self.service.handler
        case .inPlace: self.service.makeHandler(for: self.new)
        case .replace(let run), .add(.some(let run)):
            PluginHandler(
                name: self.new.name, claims: self.new.handlerClaims(narrowedBy: run.facts.result?.claims),
                connection: run.connection)
        case .restart, .add(nil): PluginHandler(waitingFor: self.new)
        }
    }
}

/// A plugin's new process does not come up.
package struct PluginNotReady: Error, Sendable, CustomStringConvertible {
    package let name: String
    /// The reason it does not.
    package let reason: String

    package var description: String { "the plugin '\(self.name)' does not come up: \(self.reason)" }
}

/// A plugin that runs cannot make sense of its new configuration.
package struct PluginConfigurationRefused: Error, Sendable, CustomStringConvertible {
    package let name: String
    /// The problems, by JSON pointers into its `config`; empty when it did not say.
    package let problems: [ConfigurationProblem]
    /// The same in a sentence.
    package let description: String
}
