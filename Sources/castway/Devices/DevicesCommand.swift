import ArgumentParser
import CastDiscovery
import CastWire
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import UnixSignals

/// `castway devices`
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the Cast devices of the network, and those of discovery.static.",
        discussion: """
            Devices are searched for by mDNS, through the Avahi daemon of this machine. With a gateway.yaml its discovery \
            section holds: interfaces, allow, deny, receiver_app and static. Without --config the usual file is read if \
            there is one. No gateway has to run.

            When there are none, it says why: what keeps them out, or why they are not heard.

            Without a daemon the devices of discovery.static are listed, and the status is \
            \(ExitStatus.unreachable.rawValue).

            Examples:
              castway devices
              castway devices --watch
              castway devices --json | jq -r .networkAddress

            \(ExitStatus.help(.ok, .configurationInvalid, .usage, .unreachable))
            """)

    @OptionGroup var file: ConfigPathOption

    @Flag(help: "Goes on and prints every change, until it is interrupted.")
    var watch = false

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to listen for answers; default: 3s, and with --watch until it is interrupted.", valueName: "time")
    )
    var timeout: CommandTimeout?

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let settings = try self.settings
        guard let network = AvahiConnection() else {
            throw CommandFailure(.unreachable, "no descriptor is left for the mDNS daemon")
        }
        let events = EventBus()
        let subscription = events.subscribe(limit: 65536)
        let discovery = try await DeviceDiscovery(
            settings: settings, network: network, book: NoAddressBook(), events: events,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "castway") { _ in SwiftLogNoOpLogHandler() })
        network.start()
        try await discovery.start()
        let words = self.watch ? nil : "listening for devices"
        let failure = await ProgressLine.showing(words) {
            await self.listen(to: subscription, until: interruptions)
        }
        if !self.watch { self.show(discovery.devices, hints: discovery.hints()) }
        try await discovery.stop()
        await network.stop()
        if let failure { throw failure }
    }

    /// Listens until the time is over, nothing can be heard, or the command is interrupted.
    private func listen(
        to subscription: EventSubscription, until interruptions: UnixSignalsSequence
    ) async -> CommandFailure? {
        await withTaskGroup(of: CommandFailure?.self) { group in
            group.addTask {
                for await _ in interruptions { break }
                return nil
            }
            group.addTask {
                self.watch
                    ? await self.follow(subscription)
                    : await self.failure(of: subscription)
            }
            if let time = self.timeout?.duration ?? (self.watch ? nil : .seconds(3)) {
                group.addTask {
                    try? await Task.sleep(for: time)
                    return nil
                }
            }
            // The first task to end ends the command.
            let failure = await group.next() ?? nil
            group.cancelAll()
            return failure
        }
    }

    /// What the configuration says of discovery; nothing in particular where there is none.
    private var settings: DiscoverySettings {
        get throws {
            let path = self.file.path
            var settings = DiscoverySettings()
            if self.file.named != nil || access(path, R_OK) == 0 {
                settings = try ConfigurationFile.configuration(path).discoverySettings(ownIDs: [])
            }
            settings.isEnabled = true
            settings.isPassive = false
            return settings
        }
    }

    // MARK: Once

    /// Ends when nothing can be heard.
    private func failure(of subscription: EventSubscription) async -> CommandFailure? {
        for await event in subscription.events {
            if case .discoveryBlocked(_, let reason) = event { return Self.blocked(reason) }
        }
        return nil
    }

    private static func blocked(_ reason: String) -> CommandFailure {
        CommandFailure(
            .unreachable,
            "devices cannot be searched for: \(reason). Install and start avahi-daemon, or name devices in discovery.static"
        )
    }

    /// - Parameter hints: why there are none; nothing when there are some.
    private func show(_ devices: [DiscoveredDevice], hints: [DiscoveryHint]) {
        if self.output.isJSON {
            StandardOutput.write(lines: devices.map { JSONValue.object($0.json).text })
        } else if devices.isEmpty {
            // What cannot be searched for at all is said as the failure of the command.
            let words = hints.filter { $0.code != .noDaemon }.map { "  \($0.code.rawValue): \($0.text)".printable }
            StandardOutput.write(lines: ["No devices."] + words)
        } else {
            StandardOutput.write(lines: DeviceTable(devices: devices).lines(Terminal.output))
        }
    }

    // MARK: Watching

    /// Prints changes; ends when nothing can be heard from the beginning.
    private func follow(_ subscription: EventSubscription) async -> CommandFailure? {
        var wasRunning = false
        for await event in subscription.events {
            switch event {
            case .discoveryStarted: wasRunning = true
            case .discoveryBlocked(_, let reason):
                guard wasRunning else { return Self.blocked(reason) }
                StandardError.write(
                    Terminal.error.message("devices cannot be heard at the moment: \(reason.printable)", .warning))
            case .deviceInserted(let device, _): self.show("+", "inserted", device)
            case .deviceUpdated(let device, _, _): self.show("~", "updated", device)
            case .deviceRemoved(let device, _): self.show("-", "removed", device)
            default: break
            }
        }
        return nil
    }

    private func show(_ sign: String, _ event: String, _ device: JSONObject) {
        guard !self.output.isJSON else {
            return StandardOutput.write(
                lines: [JSONValue.object(["event": .string(event), "device": .object(device)]).text])
        }
        let address = device.array("addresses")?.first?.stringValue ?? "-"
        var words = [sign, device.string("friendlyName") ?? "", address, device.string("deviceId") ?? ""]
        if let text = device.string("statusText"), !text.isEmpty { words.append("(\(text))") }
        StandardOutput.write(lines: [words.joined(separator: "  ").printable])
    }
}

/// Devices for people.
struct DeviceTable {
    /// The devices, in the order in which they are shown.
    let devices: [DiscoveredDevice]

    /// The lines to print, without colours.
    var lines: [String] { self.lines(.plain) }

    /// The lines to print.
    func lines(_ paint: Paint) -> [String] {
        var rows = [["NAME", "ADDRESS", "TYPE", "MODEL", "STATUS", "ID"]]
        for device in self.devices {
            rows.append(
                [
                    device.friendlyName, device.addresses.first?.description ?? "-", device.type.rawValue,
                    device.model.isEmpty ? "-" : device.model, Self.status(of: device), device.id,
                ].map(\.printable))
        }
        return TextTable(rows: rows).lines { column, cell in
            guard column == 4 else { return cell }
            return paint(cell, cell == "idle" ? .good : cell == "not heard" ? .faint : .warning)
        }
    }

    private static func status(of device: DiscoveredDevice) -> String {
        guard device.isAnnounced else { return "not heard" }
        guard device.status == .busy else { return "idle" }
        return device.statusText.isEmpty ? "busy" : "busy: \(device.statusText)"
    }
}
