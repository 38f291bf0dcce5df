import BuiltInReceiver
import CastWire
import DeviceListening
import DeviceSessions
import GatewayConfig
package import Passthrough
import VirtualDevices

extension VirtualDeviceConfiguration {
    /// The real device that it relays to; nil for the built-in receiver, and for one whose senders are passed through.
    package var targetName: String? {
        if case .device(let name) = self.target { name } else { nil }
    }

    /// The real device to which its senders are passed through; nil for every other.
    package var passedName: String? {
        if case .passthrough(let name) = self.target { name } else { nil }
    }

    /// The real device behind it, in whatever way; nil for the built-in receiver.
    package var realDevice: String? { self.targetName ?? self.passedName }

    /// The real device to which the gateway keeps a channel for it; nil for the built-in receiver, and for one that is not observed.
    package var channelName: String? { self.targetName ?? (self.observation == .none ? nil : self.passedName) }

    /// Whether senders are passed through, and streams of those that mirror are carried: only where `mirroring` is written.
    package var isMirroredThrough: Bool { self.passedName != nil && self.mirroring?.udp == .relay }

    /// What concerns a device whose senders are passed through; nil for every other.
    /// - Parameter timeZone: that of `routing`; nil for the machine's.
    package func passthrough(timeZone: String?) -> PassthroughSettings? {
        guard let passedName else { return nil }
        return PassthroughSettings(name: self.name, listen: self.listen, target: passedName) {
            $0.announcing = self.device.announcing
            $0.senders = self.device.senders
            $0.setup = self.setup.http
            $0.isMirrored = self.isMirroredThrough
            $0.timeZone = timeZone
            $0.observation = self.observation
            $0.rules.allowedApps = self.apps.map { Set($0.map { AppID(rawValue: $0.id) }) }
            $0.rules.maximumVolume = self.volume.maximum
            $0.rules.stopsAtEnd = self.device.senders.stopsAtEnd
            $0.rules.observesMedia = self.observation == .media
        }
    }
}
