import GatewayCore
import PluginKit

/// What becomes of one plugin in a reload.
struct PluginUpdate: Sendable {
    enum Way: Sendable {
        /// Nothing of it has changed.
        case keep
        /// It was told the new configuration and took it, or need not be told; undone by telling it the old one.
        case inPlace(wasTold: Bool)
        /// Another process has said its first words, and takes the place of the one that runs.
        case replace(PluginLife)
        /// The old process ends before the new one begins, or none runs.
        case restart
        /// It is new; without a process it is switched off, or somebody else starts it.
        case add(PluginLife?)
    }

    let service: PluginService
    let old: PluginInstance
    let new: PluginInstance
    let way: Way

    /// A process that was started for this, and is in nobody's place yet.
    var trial: PluginLife? {
        switch self.way {
        case .replace(let life), .add(.some(let life)): life
        case .keep, .inPlace, .restart, .add(nil): nil
        }
    }

    /// What is asked about messages from the moment when the new configuration is in force.
    var handler: any MessageHandler {
        switch self.way {
        case .keep: self.service.handler
        case .inPlace: self.service.makeHandler(for: self.new)
        case .replace(let life), .add(.some(let life)):
            PluginHandler(
                name: self.new.name, claims: self.new.handlerClaims(narrowedBy: life.result?.claims),
                connection: life.connection)
        case .restart, .add(nil): PluginHandler(name: self.new.name, claims: self.new.handlerClaims())
        }
    }
}
