import CastDiscovery
import CastIdentity
import CastWire
import DeviceListening
import GatewayConfig
import NIOCore

/// The announcement of a virtual device (protocol notes, 1.7).
struct DeviceAdvertisement: Sendable {
    let configuration: VirtualDeviceSettings
    /// The apps that the device is configured to have.
    let apps: [AppID]
    let identity: DeviceIdentity
    /// The port that it really listens on.
    let port: Int

    /// The reason it is not announced; nil when it is.
    var obstacle: String? {
        if !self.configuration.publish { return "publish is false" }
        if self.configuration.listen.isLoopback { return "it listens on the loopback interface only" }
        return nil
    }

    /// The announcement while the device is in a state; nil when nothing is announced.
    func service(_ state: AdvertisedState) -> PublishedService? {
        guard self.obstacle == nil, let id = DeviceID(self.identity.idHex) else { return nil }
        let record = DeviceRecord(
            id: id, friendlyName: self.configuration.friendlyName, model: self.configuration.model,
            capabilities: DeviceCapabilities(rawValue: UInt64(clamping: self.configuration.capabilities)),
            activity: state.activity, statusText: state.statusText, iconPath: DeviceIcon.path,
            certificateDigest: self.certificateDigest, hotspotID: DeviceRecord.hotspotID(ofVirtualDevice: id),
            other: [DeviceRecord.virtualDeviceMark])
        return PublishedService(
            instance: CastService.instance(model: self.configuration.model, id: id), port: self.port,
            family: self.family, place: self.place, record: record, subtypes: self.subtypes(state))
    }

    /// The announcements while the device is in a state, by the keys under which it is announced: once, or once for each of the
    /// interfaces that `publish.interfaces` names. An interface that is not there is left out.
    func services(_ state: AdvertisedState) -> [String: PublishedService] {
        guard let service = self.service(state) else { return [:] }
        let (name, interfaces) = (self.configuration.name, self.configuration.announcing.interfaces)
        guard !interfaces.isEmpty else { return [name: service] }
        let table = InterfaceTable.current
        return interfaces.reduce(into: [:]) { services, interface in
            guard let index = table.index(of: interface) else { return }
            services["\(name)@\(interface)", default: service].interface = index
        }
    }

    /// The media namespace always, since senders ask idle devices for it too (protocol notes, 1.4), what runs, and the apps that the
    /// device is configured to have.
    private func subtypes(_ state: AdvertisedState) -> [ServiceSubtype] {
        let ids = self.apps.filter { $0.isValid && $0.rawValue.utf8.count == 8 }
        var seen: Set<ServiceSubtype> = []
        return ([.media] + state.subtypes + ids.compactMap { ServiceSubtype(app: $0) }).filter {
            seen.insert($0).inserted
        }
    }

    /// Devices show a digest of their certificate in 32 digits; any that stays the same will do.
    private var certificateDigest: String {
        String(RecordDigest.digits(of: self.identity.deviceCertificate).prefix(32))
    }

    // MARK: Where it listens

    private var isEverywhere: Bool { ["0.0.0.0", "::", ""].contains(self.configuration.listen.host) }

    /// Listening on `0.0.0.0` is for IPv4 alone, on `::` for both.
    private var family: AddressFamily? {
        let host = self.configuration.listen.host
        guard let address = try? SocketAddress(ipAddress: host, port: 0), host != "::" else { return nil }
        return address.protocol == .inet6 ? .ipv6 : .ipv4
    }

    /// The interface that has the address; nil when every one has it, or none does by now.
    private var place: PublishedService.Place? {
        let host = self.configuration.listen.host
        guard !self.isEverywhere, let address = try? SocketAddress(ipAddress: host, port: 0) else { return nil }
        let devices = (try? System.enumerateDevices()) ?? []
        guard let device = devices.first(where: { $0.address?.ipAddress == address.ipAddress }) else { return nil }
        return PublishedService.Place(
            host: "\(self.identity.uuid).local", address: host, interface: Int32(clamping: device.interfaceIndex))
    }
}

/// The app that runs, as a virtual device's announcement describes it (protocol notes, 1.2 and 1.4).
struct AdvertisedState: Hashable, Sendable {
    static let idle = AdvertisedState(activity: .idle, statusText: "", subtypes: [])
    /// An app with more namespaces is found by those that it names first.
    private static let maximumNamespaces = 16

    let activity: DeviceActivity
    let statusText: String
    /// The app's id and its namespaces.
    let subtypes: [ServiceSubtype]

    private init(activity: DeviceActivity, statusText: String, subtypes: [ServiceSubtype]) {
        self.activity = activity
        self.statusText = statusText
        self.subtypes = subtypes
    }

    /// Reads a status; the idle screen is no app.
    init(_ status: ReceiverStatus) {
        guard let app = status.applications.first(where: { !$0.isIdleScreen }) else {
            self = .idle
            return
        }
        let ids = [app.appID, app.universalAppID].compactMap(\.self).filter(\.isValid)
        let all =
            ids.compactMap { ServiceSubtype(app: $0) }
            + app.namespaces.prefix(Self.maximumNamespaces).map { ServiceSubtype(namespace: $0) }
        self.init(activity: .busy, statusText: app.statusText ?? app.displayName ?? "", subtypes: all)
    }
}
