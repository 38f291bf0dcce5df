import BuiltInReceiver
import CastDiscovery
import CastWire
import DeviceSessions
import GatewayCore
import GatewayOperations
import NIOCore
import Passthrough
import VirtualDevices

/// What there is and what runs: all devices, who is connected to them, and the operations on virtual devices.
///
/// It owns no state; it asks the features that do.
final class OverviewFeature: GatewayFeature {
    let name = "overview"
    let context: GatewayContext
    /// Finds the devices that callers name, and knows which there are.
    let resolver: DeviceResolver
    /// The virtual devices that run.
    let running: RunningDevices
    /// Who is connected to them, and to those whose senders are passed through.
    let connected: ConnectedSenders
    /// Sends messages to virtual devices.
    let senders: any InternalSenders
    /// The speaker groups among the virtual devices.
    let groups: SpeakerGroups
    private let listing: DiscoveredDevicesFeature

    /// - Parameters:
    ///   - groups: the speaker groups among the virtual devices.
    ///   - listing: lists virtual devices, with those that were found.
    init(
        _ context: GatewayContext, resolver: DeviceResolver, connected: ConnectedSenders, groups: SpeakerGroups,
        listing: DiscoveredDevicesFeature
    ) {
        self.context = context
        self.resolver = resolver
        self.running = connected.running
        self.connected = connected
        self.senders = VirtualDeviceSenders(connected.running)
        self.groups = groups
        self.listing = listing
    }

    var operations: [any GatewayOperation] {
        [
            ListDevices(feature: self), GetDevice(feature: self), FindDevice(feature: self), ProbeDevice(feature: self),
            CanDisplay(feature: self),
            ListSenders(feature: self),
            GetVirtualDevice(feature: self), LaunchOnVirtualDevice(feature: self), StopVirtualDevice(feature: self),
            DisconnectSenders(feature: self), ListGroupMembers(feature: self), ChangeGroup(feature: self),
            SimulateOnVirtualDevice(feature: self),
            ExplainRoute(resolver: self.resolver, context: self.context),
        ]
    }

    // MARK: What there is

    /// The real devices that the gateway keeps a channel to.
    var directory: DeviceSessionDirectory { self.resolver.directory }
    /// The devices of the network.
    var discovery: DeviceDiscovery { self.resolver.discovery }

    /// The virtual devices as `virtual_devices.list` has them.
    private func virtualList(for caller: Caller) -> [JSONObject] {
        self.listing.list(for: caller).array("virtual_devices")?.compactMap(\.objectValue) ?? []
    }

    /// The virtual devices that a caller may see, with what runs on them.
    func virtualDevices(for caller: Caller) async -> [JSONObject] {
        let overviews = Dictionary(
            await self.running.overviews().map { ($0.state.name, $0) }, uniquingKeysWith: { first, _ in first })
        let passed = Dictionary(
            await self.connected.passed.overviews().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var devices: [JSONObject] = []
        for listed in self.virtualList(for: caller) {
            let name = listed.string("name") ?? ""
            let isMissed = await self.isMissed(passed[name])
            devices.append(self.virtualDevice(listed, overviews[name], passed[name], isMissed: isMissed))
        }
        return devices
    }

    /// Whether the gateway's own channel does not reach the device behind a passthrough. One that is written down is known to discovery while
    /// it is off, too.
    private func isMissed(_ passed: PassthroughOverview?) async -> Bool {
        guard let target = passed?.target, let state = await self.directory.state(of: target) else { return false }
        return !state.isOnline && state.reason != nil
    }

    /// One virtual device, with its senders.
    /// - Throws: `unavailable` when it has just ended.
    func virtualDevice(_ device: DeviceResolver.NamedDevice) async throws(OperationProblem) -> JSONObject {
        guard let listed = self.virtualList(for: .admin).first(where: { $0.string("name") == device.name }) else {
            throw OperationProblem(GatewayError(.unavailable, "the virtual device \(device.name) does not run"))
        }
        let overview = await self.running.overview(of: device.name)
        let passed = await self.connected.passed.overview(of: device.name)
        try Unanswered.check(device)
        var json = self.virtualDevice(listed, overview, passed, isMissed: await self.isMissed(passed))
        let senders = passed?.splices.map(SenderOverview.init) ?? overview?.senders ?? []
        json["connected"] = .array(senders.map { .object(self.sender($0)) })
        return json
    }

    private func virtualDevice(
        _ listed: JSONObject, _ overview: VirtualDeviceOverview?, _ passed: PassthroughOverview?, isMissed: Bool
    ) -> JSONObject {
        var json = listed
        json["category"] = .string(DeviceCategory.virtual.rawValue)
        if let passed {
            json["target_online"] = .bool(passed.state != .away && !isMissed)
            json["traffic"] = .object(Self.traffic(of: passed))
        } else if let target = listed.string("target") {
            json["target_online"] = .bool(self.directory.isOnline(target))
        }
        json["senders"] = .number(passed?.splices.count ?? overview?.senders.count ?? 0)
        json["apps"] = .array(
            (overview?.apps ?? []).map {
                .object(AppDescription.json($0.facts, media: $0.media, times: $0.times, in: self.context))
            })
        json["streams"] = .array((passed?.streams ?? overview?.streams ?? []).map { .object(self.stream($0)) })
        json["suspended_handlers"] = .array((overview?.state.suspendedHandlers ?? []).map { .string($0) })
        return json
    }

    private static func traffic(of device: PassthroughOverview) -> JSONObject {
        [
            "announced_in": .array(device.announcedIn.map { .string($0) }),
            "connected": .number(Int(clamping: device.counts.opened)),
            "refused": .number(Int(clamping: device.counts.refused)),
            "bytes_from_senders": .number(Int(clamping: device.counts.fromSenders)),
            "bytes_from_device": .number(Int(clamping: device.counts.fromDevice)),
        ]
    }

    private func stream(_ stream: MirroringStream) -> JSONObject {
        func bothWays(_ counts: (toDevice: UInt64, toSender: UInt64)) -> JSONValue {
            [
                "to_device": .number(Int(clamping: counts.toDevice)),
                "to_sender": .number(Int(clamping: counts.toSender)),
            ]
        }
        var json: JSONObject = ["connection": .string("\(stream.connection)"), "sender": .string(stream.sender)]
        if let app = stream.app {
            json["app"] = .string(app.appID.rawValue)
            json["session_id"] = .string(app.sessionID)
        }
        json["since"] = self.context.time(of: stream.since)
        json["address"] = .string(stream.address)
        json["port"] = .number(stream.port)
        json["device_port"] = .number(stream.devicePort)
        json["packets"] = bothWays(stream.packets)
        json["bytes"] = bothWays(stream.bytes)
        json["dropped"] = .number(Int(clamping: stream.dropped))
        json["drops"] = .object(
            JSONObject(stream.drops.sorted { $0.key < $1.key }.map { ($0.key, .number(Int(clamping: $0.value))) }))
        return json
    }

    /// The real devices that a caller may see.
    func realDevices(for caller: Caller) async -> [JSONObject] {
        var devices: [JSONObject] = []
        for entry in self.resolver.realDevices where caller.mayUse(device: entry.name) {
            devices.append(await self.realDevice(entry))
        }
        return devices
    }

    /// One real device.
    /// - Throws: `unavailable` when its event loop does not answer.
    func realDevice(_ device: DeviceResolver.NamedDevice) async throws(OperationProblem) -> JSONObject {
        let json = await self.realDevice(self.resolver.entry(device))
        try Unanswered.check(device)
        return json
    }

    private func realDevice(_ entry: RealDeviceNames.Entry) async -> JSONObject {
        let state = await self.directory.state(of: entry.name)
        let found = entry.found
        var json: JSONObject = [
            "name": .string(entry.name), "friendly_name": .string(found?.friendlyName ?? entry.name),
            "state": .string(Self.word(state, entry)),
            "announced": .bool(found?.isAnnounced ?? false),
            "category": .string((found?.category ?? .cast).rawValue),
            "source": .string(found?.source ?? (entry.hasChannel || found?.staticName != nil ? "file" : "network")),
        ]
        if let since = state?.since { json["since"] = self.context.time(of: since) }
        if let reason = state?.reason { json["reason"] = .string(reason) }
        if let address = state?.address { json["address"] = .string(address.description) }
        let addresses = (found?.addresses ?? []) + (state?.addresses ?? [])
        var seen: Set<String> = []
        json["addresses"] = .array(
            addresses.map(\.description).filter { seen.insert($0).inserted }.map { .string($0) })
        if let found { self.add(found, to: &json) }
        if let record = self.directory.authentication(of: entry.name) {
            json["authentication"] = [
                "outcome": .string(record.outcome.word), "text": .string("\(record.outcome)"),
                "time": .number(Int(clamping: record.time)),
            ]
        }
        if let volume = state?.status?.volume {
            var object: JSONObject = [:]
            if let level = volume.level { object["level"] = .number(level) }
            if let muted = volume.muted { object["muted"] = .bool(muted) }
            json["volume"] = .object(object)
        }
        json["apps"] = .array(
            (state?.apps ?? []).map {
                .object(AppDescription.json($0.facts, media: $0.media, times: $0.times, in: self.context))
            })
        let virtual = self.context.configuration.current.virtualDevices.filter { $0.realDevice == entry.name }
        json["virtual_devices"] = .array(virtual.map { .string($0.name) })
        return json
    }

    private static func word(_ state: RealDeviceState?, _ entry: RealDeviceNames.Entry) -> String {
        guard let state else { return entry.hasChannel ? "unanswered" : "found" }
        return state.isOnline ? "online" : "offline"
    }

    private func add(_ found: DiscoveredDevice, to json: inout JSONObject) {
        json["id"] = .string(found.id)
        if let index = self.discovery.devices.firstIndex(where: { $0.id == found.id }) {
            json["index"] = .number(index)
        }
        if !found.attributes.isEmpty {
            let attributes = found.attributes.sorted { $0.key < $1.key }
            json["attributes"] = .object(JSONObject(attributes.map { ($0.key, .string($0.value)) }))
        }
        if !found.model.isEmpty { json["model"] = .string(found.model) }
        guard found.record != nil else { return }
        json["type"] = .string(found.type.rawValue)
        json["capabilities"] = .array(found.capabilities.names.map { .string($0) })
        if !found.statusText.isEmpty { json["status_text"] = .string(found.statusText) }
    }

    /// The senders that are connected to virtual devices which a caller may see.
    func senders(for caller: Caller) async -> [JSONObject] {
        var senders: [JSONObject] = []
        for (device, connected) in await self.connected.all() where caller.mayUse(device: device) {
            senders += connected.map { sender in
                JSONObject(
                    [("device", .string(device))] + self.sender(sender).members.map { ($0.name, $0.value) }
                )
            }
        }
        return senders
    }

    /// One sender.
    func sender(_ sender: SenderOverview) -> JSONObject {
        var json: JSONObject = [
            "id": .string("\(sender.connection)"), "address": .string(sender.address),
            "since": self.context.time(of: sender.since), "throttled": .bool(sender.isThrottled),
            "apps": .array(sender.apps.map { .string($0.appID.rawValue) }),
        ]
        for member in sender.facts.json.members { json[member.name] = member.value }
        if let throttledAt = sender.throttledAt { json["throttled_at"] = self.context.time(of: throttledAt) }
        return json
    }
}
