import ArgumentParser
import CastSender
import CastWire
import DeviceSessions

/// What all commands of `castway cast` share: which device, how long to wait, how to print.
struct CastTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The device, by address or name; or --device and its name.", valueName: "host[:port]"))
    var address: CastAddress

    @OptionGroup var configuration: ConfigOption

    @Option(
        help: ArgumentHelp(
            "How long to wait for the device; default: 5s to connect, 10s for an answer, 60s for a launch or a load.",
            valueName: "time"))
    var timeout: CommandTimeout?

    @Flag(help: "Prints the device's own messages, one a line.")
    var json = false

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
    func withDevice(
        at address: CastAddress? = nil, _ body: (RemoteDevice) async throws -> Void
    ) async throws {
        var options = SenderOptions(userAgent: "Castway/\(CastwayVersion.current)")
        if let duration {
            options.connectTimeout = duration
            options.answerTimeout = duration
            options.startTimeout = duration
        }
        let place = try await self.place(of: address ?? self.address, timeout: options.connectTimeout)
        let device = try await RemoteDevice.connect(host: place.host, port: place.port, options: options)
        do {
            try await body(device)
        } catch {
            await device.close()
            throw error
        }
        await device.close()
    }

    /// The address, looked for when a name is given.
    private func place(of address: CastAddress, timeout: Duration) async throws -> CastPlace {
        switch address {
        case .place(let place): return place
        case .device(let name):
            let finders = DeviceFinders.all(configuration: self.configuration.path)
            for finder in finders {
                if let place = try await finder.find(name, timeout: timeout) { return place }
            }
            throw CommandFailure(.unreachable, "no device is called '\(name)'")
        }
    }

    /// Follows what an app plays.
    func follow(_ app: RemoteApp) async throws -> MediaApp {
        try await MediaApp.following(app, options: self.mediaOptions)
    }

    /// Does something with the app that plays media and prints what it answers.
    func withMediaApp(_ body: (MediaApp) async throws -> JSONObject) async throws {
        try await self.withDevice { device in
            let media = try await self.follow(try await device.joinMediaApp())
            self.show(media: try await body(media), of: media)
        }
    }

    /// Sends a command to the loaded media and prints the answer.
    func command(_ command: MediaCommand) async throws {
        try await self.withMediaApp { try await $0.perform(command) }
    }

    /// Prints the status of a device.
    /// - Parameters:
    ///   - reply: what the app said of its media.
    ///   - media: the same, understood.
    func show(_ status: ReceiverStatusPayload, reply: JSONObject? = nil, media: MediaSnapshot? = nil) {
        if self.json {
            StandardOutput.write(lines: [status.json, reply].compactMap { $0.map { JSONValue.object($0).text } })
        } else {
            let block = StatusBlock(
                address: self.address, volume: status.status?.volume, application: status.status?.applications.first,
                media: media?.status)
            StandardOutput.write(lines: block.lines)
        }
    }

    /// Prints the status of media.
    func show(media reply: JSONObject, of media: MediaApp) {
        if self.json {
            StandardOutput.write(lines: [JSONValue.object(reply).text])
        } else {
            let block = StatusBlock(
                address: self.address, volume: nil, application: media.app.application,
                media: media.client.snapshot.status, isAboutMedia: true)
            StandardOutput.write(lines: block.lines)
        }
    }
}
