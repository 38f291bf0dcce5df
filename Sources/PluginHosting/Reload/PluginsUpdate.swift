public import GatewayCore
import PluginKit
import Synchronization

/// Everything that was made ready for another configuration of the plugins, and is not in force yet.
public struct PluginsUpdate: Sendable {
    let fleet: PluginFleet
    var updates: [PluginUpdate] = []
    var removed: [PluginService] = []

    init(fleet: PluginFleet) {
        self.fleet = fleet
    }

    /// The handlers afterwards, in the order of `gateway.yaml`: to be registered before ``commit()``.
    public var handlers: [any MessageHandler] { self.updates.map(\.handler) }

    /// Lets the new processes begin their work: the last step before the handlers are registered, which then change all at once, and
    /// only if every process is there to answer.
    /// - Throws: ``PluginNotReady``; ``undo()`` is to be called then.
    public func begin() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for update in self.updates {
                guard let life = update.trial else { continue }
                group.addTask { try await update.service.begin(life, update.new) }
            }
            try await group.waitForAll()
        }
    }

    /// Puts everything in force; the handlers are registered. What is old ends behind it.
    public func commit() async {
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
        case .replace(let life), .add(.some(let life)): await service.swap(to: life, update.new)
        case .add(nil): if update.new.isEnabled { service.enable() } else { service.disable() }
        }
    }

    /// Gives everything up: what was told is told the old configuration, and what was started is ended.
    public func undo() async {
        for update in self.updates {
            switch update.way {
            case .keep, .restart: break
            case .inPlace(let wasTold):
                if wasTold { _ = try? await update.service.tell(update.old) }
            case .replace(let life): life.endNow()
            case .add: update.service.finish()
            }
        }
    }
}
