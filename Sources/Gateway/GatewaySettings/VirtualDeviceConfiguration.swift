package import BuiltInReceiver
import CastWire
import DeviceListening
package import DeviceSessions
package import GatewayConfig
package import Passthrough
package import VirtualDevices

/// `virtual_devices[]`: one device that senders see, and what stands behind it.
///
/// The keys belong to two modules that do not know each other; ``device`` and ``receiver`` are what each of them takes.
/// Their properties can be named directly: `configuration.friendlyName`, `configuration.apps`.
@dynamicMemberLookup
package struct VirtualDeviceConfiguration: ConfigObject {
    /// What stands behind a virtual device.
    package enum Target: Sendable, Equatable {
        /// The built-in receiver platform.
        case local
        /// A real device, by the name that discovery gives it.
        case device(String)
        /// A real device to which senders are passed through, by the same names: bytes go through as they are.
        case passthrough(String)
    }

    /// How senders see the device, and where they reach it.
    package var device: VirtualDeviceSettings
    /// What stands behind the device.
    package var target: Target
    /// What the gateway sees by a channel of its own of a device to which senders are passed through.
    package var observation = PassthroughObservation.media
    /// What becomes of the streams of mirroring senders on a device that stands for another; nil for the defaults.
    package var mirroring: MirroringConfiguration?
    /// The apps, and how the built-in receiver runs them; of a real device only which apps senders may use.
    package var receiver = ReceiverConfiguration()

    /// The keys of `virtual_devices[]`.
    package static let keys: [Key] =
        VirtualDeviceSettings.nameKeys.embedded(in: \Self.device)
        + [
            .custom(
                "target",
                .oneOf(
                    .word("local"),
                    .object([
                        ConfigField(
                            "device", .text(maximumBytes: 200), .required,
                            "A real device: a name in `discovery.static`, or the friendly name or id of one that is found by mDNS",
                            example: "meeting-room")
                    ]),
                    .object([
                        ConfigField(
                            "address", .dialAddress(), .required,
                            "Instead of `device`, where a real device answers; virtual devices with the same address share the device"
                        )
                    ]),
                    .object([
                        ConfigField(
                            "passthrough", .text(maximumBytes: 200), .required,
                            "Instead of `device`, a real device to which every sender's bytes go through as they are, for senders that trust "
                                + "only real devices: its own certificate reaches them, and their messages are not seen here",
                            example: "tv-12"),
                        ConfigField(
                            "observe", .word("media", "receiver", "none"), .defaultsTo("media"),
                            "What the gateway sees of that device by a channel of its own: `media`, which apps run and what they play; "
                                + "`receiver`, without connecting to apps; `none`, nothing"),
                    ])),
                .required, "What stands behind the device: `local`, the built-in receiver, or a real device",
                example: "{device: meeting-room}", reload: .device,
                isSame: { $0.target == $1.target && $0.observation == $1.observation },
                read: { value, device in
                    device.target =
                        value.section.map {
                            $0.isPassthrough ? .passthrough($0.targetName) : .device($0.targetName)
                        } ?? .local
                    device.observation =
                        value.section.map {
                            $0.isPassthrough
                                ? $0.word("observe", as: PassthroughObservation.self, otherwise: .media) : .media
                        } ?? .media
                })
        ] + VirtualDeviceSettings.senderKeys.embedded(in: \Self.device)
        + [
            .optional(
                "mirroring", \.mirroring, .object,
                "What becomes of the streams of senders that mirror a tab or a screen, on devices that stand for another; off with `passthrough` "
                    + "unless it is written; see `mirroring.md`",
                reload: .hot)
        ]
        + [
            .custom(
                "apps", VirtualAppConfiguration.appsSchema, .optional,
                "The apps that senders may use: a list of ids, or a mapping of ids to details, with presets. Without it all "
                    + "apps of the target; a local device then has the default media receiver with the simulated player",
                example: "[CC1AD845, 233637DE]", reload: .hot, isSame: { $0.receiver.apps == $1.receiver.apps },
                read: { value, device in
                    device.receiver.apps = VirtualAppConfiguration.apps(
                        reading: value, isLocal: device.target == .local)
                })
        ] + ReceiverConfiguration.keys.embedded(in: \Self.receiver)
        + VirtualDeviceSettings.serviceKeys.embedded(in: \Self.device)

    /// Makes the configuration of a device; what is not changed has the default of `gateway.yaml`.
    package init(
        name: String, listen: ListenAddress, target: Target, _ change: (inout Self) -> Void = { _ in }
    ) {
        self.device = VirtualDeviceSettings(name: name, listen: listen)
        self.target = target
        change(&self)
    }

    /// What holds before anything is read.
    package init(blank: ConfigBlank) {
        self.init(name: "", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
    }

    /// A property of ``device``.
    package subscript<Value>(dynamicMember path: WritableKeyPath<VirtualDeviceSettings, Value>) -> Value {
        get { self.device[keyPath: path] }
        set { self.device[keyPath: path] = newValue }
    }

    /// A property of ``receiver``.
    package subscript<Value>(dynamicMember path: WritableKeyPath<ReceiverConfiguration, Value>) -> Value {
        get { self.receiver[keyPath: path] }
        set { self.receiver[keyPath: path] = newValue }
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    package var localApps: [VirtualAppConfiguration] { self.receiver.localApps }

    // MARK: Checks

    /// Adds what is wrong between the values of one device: namespaces of the transport, apps listed twice, and apps that
    /// can never run here.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        let isPassthrough = section.optionalSection("target")?.isPassthrough ?? false
        SenderRules.check(section.section("senders"), isLimited: isPassthrough, problems: &problems)
        if isPassthrough {
            PassthroughCheck.check(section, problems: &problems)
            self.checkListedOnce(section, problems: &problems)
            return
        }
        PassthroughCheck.checkOther(section, problems: &problems)
        self.checkMirroring(section, problems: &problems)
        self.checkThatAppsMayRun(section, problems: &problems)
        if let apps = section.value("apps"), section.isValid("target") {
            let isLocal = section.optionalSection("target") == nil
            VirtualAppConfiguration.checkPresets(
                in: apps, path: section.path("apps"), isLocal: isLocal, problems: &problems)
        }
        for app in section.map("apps") {
            for namespace in app.value.section?.list("namespaces") ?? [] {
                problems.addIfReserved(namespace.string ?? "", at: namespace.location)
            }
        }
        self.checkListedOnce(section, problems: &problems)
    }

    private static func checkListedOnce(_ section: ConfigSection, problems: inout ConfigProblems) {
        var places: [String: ConfigLocation] = [:]
        for app in section.list("apps") {
            guard let id = app.string else { continue }
            if let first = places[id] {
                let message = "app '\(id)' is listed twice in '\(section.path("apps"))'"
                problems.add(.duplicateName, at: app.location, message, hint: "first at \(first)")
            }
            places[id] = places[id] ?? app.location
        }
    }

    /// Warns of listed apps that can never run on the device's target, and of what is said of apps and read by nothing.
    private static func checkThatAppsMayRun(_ section: ConfigSection, problems: inout ConfigProblems) {
        let isRelay = section.optionalSection("target") != nil
        let isOff =
            section.optionalSection("mirroring")?.optionalString("udp") == MirroringConfiguration.Datagrams.off.rawValue
        let place =
            if !isRelay {
                "the built-in receiver"
            } else if isOff {
                "a device whose '\(section.path("mirroring")).udp' is off"
            } else {
                String?.none
            }
        for app in section.list("apps") {
            if let id = app.string { self.warnIfStreamed(id, at: app.location, place, problems: &problems) }
        }
        for app in section.map("apps") {
            self.warnIfStreamed(app.key, at: app.keyLocation, place, problems: &problems)
            guard isRelay, let details = app.value.section else { continue }
            for key in details.keys where details.isWritten(key) {
                problems.add(
                    .neverRuns, at: details.location(key),
                    "'\(details.path(key))' has no effect on a device that stands for another",
                    hint: "the app runs on the device behind it, which decides about that", severity: .warning)
            }
        }
    }

    /// Says that streams are carried to real devices alone.
    private static func checkMirroring(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.has("mirroring"), section.isValid("target"), section.optionalSection("target") == nil else {
            return
        }
        problems.add(
            .inconsistent, at: section.location("mirroring"),
            "'\(section.path("mirroring"))' is of no use on a device with the built-in receiver, which shows no stream",
            hint: "remove it: streams are carried to real devices alone")
    }

    /// - Parameter place: where streamed apps can never run; nil where they can.
    private static func warnIfStreamed(
        _ id: String, at location: ConfigLocation, _ place: String?, problems: inout ConfigProblems
    ) {
        guard let place, AppID(rawValue: id).isStreamed else { return }
        problems.add(
            .neverRuns, at: location, "app '\(id)' is for mirroring, and can never run on \(place)",
            hint: "remove it: senders are told that it is not available", severity: .warning)
    }
}

extension ConfigSection {
    /// The name of the real device that this section `target` means; an address is the name of the device that has it.
    package var targetName: String {
        if self.has("address") { return self.dialAddress("address").canonical.description }
        return self.string(self.targetKey)
    }

    /// Whether this section `target` passes senders through.
    var isPassthrough: Bool { self.has("passthrough") }

    /// The key of this section `target` that names the device, where it has no address.
    var targetKey: String { self.isPassthrough ? "passthrough" : "device" }
}

extension DialAddress {
    /// The address in the one spelling by which addresses are compared: host names differ in nothing by their case.
    package var canonical: DialAddress { DialAddress(host: self.host.lowercased(), port: self.port) }
}
