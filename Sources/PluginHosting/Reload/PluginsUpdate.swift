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
    public var handlers: [any MessageHandler] {
        self.updates.map { update in
            if case .keep = update.way { return update.service.handler }
            return update.service.makeHandler(for: update.new)
        }
    }

    /// Puts everything in force; the handlers are registered. Returns when whatever is new answers messages, or is being
    /// started again; what is old ends behind it.
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
        case .restart:
            await service.follow(update.new)
            if update.new.isEnabled { service.restart() }
        case .replace(let life), .add(.some(let life)):
            life.begin()
            if await life.isReady(within: update.new.settings.startTimeout) {
                await service.swap(to: life, update.new)
            } else {
                // It said its first words and then fell: from here on it is a plugin that crashed.
                life.endNow()
                await service.follow(update.new)
                service.restart()
            }
        case .add(nil): service.disable()
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
