package import CastWire
import GatewayCore
import PluginKit

/// A handler of Castway's own that a plugin may replace; the raw value is the name that the handler is registered under.
///
/// Handlers that own namespaces are replaceable. Filters are not: all of them are asked, so that one does not stand in another's
/// place. A plugin that is to do a filter's work is granted a filter, and the filter is switched off.
package enum ReplaceableHandler: String, Sendable, Hashable, CaseIterable {
    /// The receiver platform: launches, volume, statuses.
    case receiver
    /// The media namespace: loads, playback, queues.
    case media
    case multizone
    /// Set-up, and what the device says of itself.
    case setup

    /// The namespaces that the handler owns.
    package var namespaces: [Namespace] {
        switch self {
        case .receiver: [.receiver]
        case .media: [.media]
        case .multizone: [.multizone]
        case .setup: [.setup, .discovery]
        }
    }

    /// The handler that owns a namespace, as a grant has it; nil when none does.
    init?(owning match: String) {
        guard let owner = Self.allCases.first(where: { $0.namespaces.contains { $0.rawValue == match } }) else {
            return nil
        }
        self = owner
    }

    /// Returns the claims of a plugin in the handler's place: all of its namespaces, both ways.
    /// - Parameter devices: the virtual devices; nil for all.
    func claims(devices: [String]? = nil) -> [PluginClaim] {
        self.namespaces.map { namespace in
            PluginClaim(
                match: namespace.rawValue, phase: .handle, directions: [.toReceiver, .toSender], devices: devices)
        }
    }
}
