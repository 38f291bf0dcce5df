import BuiltInReceiver
import CastWire
import DeviceListening
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewaySettings
import NamespaceHandlers
import Passthrough
import VirtualDevices

/// Makes the services of virtual devices of every kind, and what stands behind them, as one configuration says.
struct FleetMaker: Sendable {
    /// What devices share whose senders end here.
    let environment: VirtualDeviceEnvironment
    /// What devices share whose senders are passed through.
    let passthrough: PassthroughEnvironment
    /// The real devices.
    let devices: any DeviceDirectory
    /// Answers what players ask about their queues.
    let queues: any QueueProviders
    /// The speaker groups of the gateway.
    let groups: SpeakerGroups
    /// Keeps what built-in receivers run beyond the end of the gateway; nil when nothing does.
    let records: (any ReceiverRecords)?
    /// The time zone of `routing`; nil for the machine's.
    let timeZone: String?
    let context: GatewayContext
    /// The ports that a listener of this process gives up at the same time.
    var sharedPorts: Set<Int> = []

    /// A service that is not run yet.
    /// - Parameter isAccepting: false keeps senders waiting until it is told to accept.
    func make(_ configuration: VirtualDeviceConfiguration, isAccepting: Bool) -> ListeningService {
        let device: any ListeningDevice =
            if let terms = self.passedTerms(of: configuration) {
                PassthroughHost(
                    terms, logger: self.context.makeLogger("Passthrough"), wallClock: self.context.wallClock)
            } else {
                VirtualDeviceHost(
                    self.ownTerms(of: configuration), logger: self.context.makeLogger("VirtualDevice"),
                    wallClock: self.context.wallClock)
            }
        return ListeningService(device, sharedPorts: self.sharedPorts, isAccepting: isAccepting)
    }

    /// The terms of a device of either kind.
    func terms(of configuration: VirtualDeviceConfiguration) -> any ListeningTerms {
        if let terms = self.passedTerms(of: configuration) { return terms }
        return self.ownTerms(of: configuration)
    }

    private func passedTerms(of configuration: VirtualDeviceConfiguration) -> PassthroughTerms? {
        configuration.passthrough(timeZone: self.timeZone).map { PassthroughTerms($0, environment: self.passthrough) }
    }

    private func ownTerms(of configuration: VirtualDeviceConfiguration) -> VirtualDeviceTerms {
        VirtualDeviceTerms(
            configuration.announced, target: self.target(of: configuration), environment: self.environment)
    }

    /// Returns what makes the target of a device whose senders end here.
    private func target(of configuration: VirtualDeviceConfiguration) -> any DeviceTargetFactory {
        guard let name = configuration.targetName else {
            return LocalReceiverFactory(
                configuration.receiver, queues: self.queues, groups: self.groups, records: self.records)
        }
        return RelayTargetFactory(
            name: name, allowedApps: configuration.apps?.map { AppID(rawValue: $0.id) },
            mirroring: (configuration.mirroring ?? MirroringConfiguration()).settings, directory: self.devices)
    }
}
