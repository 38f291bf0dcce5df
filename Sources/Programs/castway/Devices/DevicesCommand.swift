import ArgumentParser
import CastDiscovery
import CastWire
import DeviceControl
import DeviceSessions
import GatewayConfig
import GatewayCore
import Glibc
import NIOCore
import SystemPrimitives
import UnixSignals

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "devices", "Lists the Cast devices of the network, and those of discovery.static.",
        """
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
    @Flag(help: "Goes on and prints every change, until it is interrupted.") var watch = false
    @OptionGroup var output: OutputOption<TextOrJSON>

    @Option(
        parsing: .unconditional,
        help: .init(
            "How long to listen for answers; default: 3s, and with --watch until it is interrupted.",
            valueName: "time"))
    var timeout: CommandTimeout?

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let settings = try self.settings
        guard let search = try await DeviceSearch(settings) else {
            throw CommandFailure(.unreachable, "no descriptor is left for the mDNS daemon")
        }
        let subscription = search.events.subscribe(limit: 65536)
        try await search.start()
        let words = self.watch ? nil : "listening for devices"
        let failure = await ProgressLine.showing(words) { await self.listen(to: subscription, until: interruptions) }
        if !self.watch { self.show(search.discovery.devices, hints: search.discovery.hints()) }
        try await search.stop()
        if let failure { throw failure }
    }

    /// Listens until the time is over, nothing can be heard, or the command is interrupted.
    private func listen(
        to subscription: EventSubscription, until interruptions: UnixSignalsSequence
    ) async -> CommandFailure? {
        let time = self.timeout?.duration ?? (self.watch ? nil : .seconds(3))
        return await race {
            self.watch ? await self.follow(subscription) : await self.failure(of: subscription)
        } against: {
            await race {
                for await _ in interruptions { break }
            } against: {
                if let time { try? await Task.sleep(for: time) } else { await untilCancelled() }
            }
            return nil
        }
    }

    /// What the configuration says of discovery; nothing in particular where there is none.
    private var settings: DiscoverySettings {
        get throws {
            let path = self.file.path
            guard self.file.named != nil || access(path, R_OK) == 0 else { return DiscoverySettings() }
            return try ConfigurationFile.configuration(path).discoverySettings(ownIDs: [])
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
        // What cannot be searched for at all is said as the failure of the command.
        let words = hints.filter { $0.code != .noDaemon }.map { "  \($0.code.rawValue): \($0.text)".printable }
        self.output.write(
            devices.map(\.json), else: devices.isEmpty ? ["No devices."] + words : Self.table(devices, Terminal.output))
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
                StandardError.say("devices cannot be heard at the moment: \(reason.printable)", .warning)
            case .deviceInserted(let device, _): self.show("+", "inserted", device)
            case .deviceUpdated(let device, _, _): self.show("~", "updated", device)
            case .deviceRemoved(let device, _): self.show("-", "removed", device)
            default: break
            }
        }
        return nil
    }

    private func show(_ sign: String, _ event: String, _ device: JSONObject) {
        let address = device.array("addresses")?.first?.stringValue ?? "-"
        var words = [sign, device.string("friendlyName") ?? "", address, device.string("deviceId") ?? ""]
        if let text = device.string("statusText"), !text.isEmpty { words.append("(\(text))") }
        self.output.write(
            ["event": .string(event), "device": .object(device)], else: [words.joined(separator: "  ").printable])
    }

    // MARK: The table

    private static func table(_ devices: [DiscoveredDevice], _ paint: Paint) -> [String] {
        let rows = devices.map { device in
            [
                device.friendlyName, device.addresses.first?.description ?? "-", device.type.rawValue,
                device.model.isEmpty ? "-" : device.model, Self.status(of: device), device.id,
            ].map(\.printable)
        }
        let table = TextTable(rows: [["NAME", "ADDRESS", "TYPE", "MODEL", "STATUS", "ID"]] + rows)
        return table.lines { column, cell in
            column == 4 ? paint(cell, cell == "idle" ? .good : cell == "not heard" ? .faint : .warning) : cell
        }
    }

    private static func status(of device: DiscoveredDevice) -> String {
        guard device.isAnnounced else { return "not heard" }
        guard device.status == .busy else { return "idle" }
        return device.statusText.isEmpty ? "busy" : "busy: \(device.statusText)"
    }
}
