import ArgumentParser
import CastClient
import CastWire
import GatewaySettings
import Glibc

/// What all commands of `castway cast` share: which device, how long to wait, how to print.
struct CastTarget: ParsableArguments {
    @Argument(help: .init("The device, by address or name; or --device and its name.", valueName: "host[:port]"))
    var address: CastAddress
    @OptionGroup var configuration: ConfigOption
    @OptionGroup var trust: TrustOptions

    @Option(
        parsing: .unconditional,
        help: .init(
            "How long to wait for the device; default: 5s to connect, 10s for an answer, 60s for a launch or a load.",
            valueName: "time"))
    var timeout: CommandTimeout?

    /// Without `--color`, which is taken before the command is found: that of `text-style` has the name.
    @OptionGroup var output: FormOption<TextOrJSON>

    /// Whether the device's own messages are printed, one a line.
    var json: Bool { self.output.isJSON }

    private var duration: Duration? { self.timeout?.duration }

    private var mediaOptions: MediaClientOptions {
        var options = MediaClientOptions()
        if let duration {
            options.answerTimeout = duration
            options.loadTimeout = duration
        }
        return options
    }

    /// Connects, does something, and closes the connection whatever comes of it.
    ///
    /// - Parameter address: another device than the one that the command is about.
    func withDevice(at address: CastAddress? = nil, _ body: (RemoteDevice) async throws -> Void) async throws {
        var options = SenderOptions(userAgent: "Castway/\(CastwayVersion.current)")
        if let duration {
            options.connectTimeout = duration
            options.answerTimeout = duration
            options.startTimeout = duration
        }
        let place = try await self.place(of: address ?? self.address, timeout: options.connectTimeout)
        let proof = try self.proof(of: place)
        let device = try await ProgressLine.showing("connecting to \("\(place)".printable)") { [options] in
            try await RemoteDevice.dial(host: place.host, port: place.port, options: options)
        }
        do {
            try await proof?.demand(of: device)
            await device.open(.platformReceiver)
            try await place.checkIdentity(of: device)
            try await body(device)
        } catch {
            await device.close()
            throw error
        }
        await device.close()
    }

    /// What the device has to prove; nil when it is not asked.
    /// - Throws: ``CommandFailure`` when a file that is named cannot be read.
    private func proof(of place: CastPlace) throws -> DeviceProof? {
        let path = self.configuration.path
        let isThere = access(path, R_OK) == 0
        guard isThere || self.configuration.config == nil else {
            throw CommandFailure(.configurationInvalid, "\(path): \(SystemError.text(errno))")
        }
        let file = isThere ? ConfigurationFile.load(path) : nil
        return try DeviceProof(self.trust.connections(file, for: place), device: place)
    }

    /// The address, looked for when a name is given.
    private func place(of address: CastAddress, timeout: Duration) async throws -> CastPlace {
        switch address {
        case .place(let place): return place
        case .device(let name):
            let configuration = ConfigurationFile.load(self.configuration.path).configuration
            if let configuration, let place = ConfiguredDevices.find(name, in: configuration) { return place }
            let found = try await ProgressLine.showing("looking for '\(name.printable)'") {
                try await DeviceSearch.find(name, configuration, timeout: timeout)
            }
            if let found { return found }
            throw CommandFailure(.unreachable, "no device is called '\(name)'")
        }
    }

    /// How long a launch, a load, and the start of playback may take, each.
    var loadTimeout: Duration { self.mediaOptions.loadTimeout }

    /// Joins an app that runs, or launches it; says so when the device asks its user.
    func run(_ app: AppID, on device: RemoteDevice) async throws -> RemoteApp {
        try await ProgressLine.showing("waiting for the app \(app.rawValue.printable)") {
            try await device.run(app) { StandardError.say("waiting for the user to allow it on the device", .warning) }
        }
    }

    func follow(_ app: RemoteApp) async throws -> MediaClient {
        try await app.media(options: self.mediaOptions)
    }

    /// Does something with the app that plays media and prints what it answers.
    func withMediaApp(_ body: (MediaClient) async throws -> JSONObject) async throws {
        try await self.withDevice { device in
            let media = try await self.follow(try await device.joinMediaApp())
            self.show(media: try await body(media), of: media)
        }
    }

    /// Prints the status of a device.
    /// - Parameters:
    ///   - reply: what the app said of its media.
    ///   - media: the same, understood.
    ///   - other: the device, when it is another one than the command is about.
    func show(
        _ status: ReceiverStatusPayload, reply: JSONObject? = nil, media: MediaSnapshot? = nil,
        of other: CastAddress? = nil
    ) {
        let block = StatusBlock(
            address: other ?? self.address, volume: status.status?.volume,
            application: status.status?.applications.first, media: media?.status)
        self.output.write([status.json, reply].compactMap(\.self), else: block.lines(Terminal.output))
    }

    /// Prints the status of media.
    func show(media reply: JSONObject, of media: MediaClient) {
        let block = StatusBlock(
            address: self.address, volume: nil, application: media.snapshot.app, media: media.snapshot.status,
            isAboutMedia: true)
        self.output.write([reply], else: block.lines(Terminal.output))
    }
}

/// One command to the loaded media: its name and help, and the options that make it.
protocol MediaControl: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    var command: MediaCommand { get }
}

extension MediaControl { static var asCommand: any ParsableCommand.Type { MediaControlCommand<Self>.self } }

/// The command of `castway cast` for a ``MediaControl``: sends it, and prints the answer of the app.
struct MediaControlCommand<Control: MediaControl>: AsyncParsableCommand {
    static var configuration: CommandConfiguration { Control.configuration }

    @OptionGroup var target: CastTarget
    @OptionGroup var control: Control

    func run() async throws {
        try await self.target.withMediaApp { try await $0.perform(self.control.command) }
    }
}
