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
        /// It is new.
        case add(PluginLife?)
    }

    let service: PluginService
    let old: PluginInstance
    let new: PluginInstance
    let way: Way
}
