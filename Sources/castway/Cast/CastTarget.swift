import ArgumentParser
import CastSender
import CastWire

/// What all commands of `castway cast` share: which device, how long to wait, how to print.
struct CastTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("The device, by address or name.", valueName: "host[:port]"))
    var address: CastAddress

    @Option(
        help: ArgumentHelp(
            "How long to wait for the device; default: 5 to connect, 10 for an answer, 60 for a launch or a load.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Prints the device's own messages, one a line.")
    var json = false

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 3600) {
            throw ValidationError("The timeout is more than 0 and at most 3600 seconds.")
        }
    }

    /// Connects, does something, and closes the connection whatever comes of it.
    func withDevice(_ body: (RemoteDevice) async throws -> Void) async throws {
        var options = SenderOptions(userAgent: "Castway/\(CastwayVersion.current)")
        if let timeout {
            let duration = Duration.milliseconds(Int64(timeout * 1000))
            options.connectTimeout = duration
            options.answerTimeout = duration
            options.startTimeout = duration
        }
        let device = try await RemoteDevice.connect(
            host: self.address.host, port: self.address.port, options: options)
        do {
            try await body(device)
        } catch {
            await device.close()
            throw error
        }
        await device.close()
    }

    /// Does something with the app that plays media and prints what it answers.
    func withMediaApp(_ body: (RemoteApp) async throws -> MediaReply) async throws {
        try await self.withDevice { device in
            let app = try await device.joinMediaApp()
            self.show(media: try await body(app), of: app.application)
        }
    }

    /// Sends a command to the loaded media and prints the answer.
    func command(_ type: MediaRequestType, _ change: (inout MediaRequest) -> Void = { _ in }) async throws {
        var request = MediaRequest()
        request.type = type
        change(&request)
        let complete = request
        try await self.withMediaApp { try await $0.command(complete) }
    }

    /// Prints the status of a device.
    func show(_ status: ReceiverStatusPayload, media: MediaReply? = nil) {
        if self.json {
            StandardOutput.write(lines: [status.json, media?.json].compactMap { $0.map { JSONValue.object($0).text } })
        } else {
            let block = StatusBlock(
                address: self.address, volume: status.status?.volume, application: status.status?.applications.first,
                media: media?.status)
            StandardOutput.write(lines: block.lines)
        }
    }

    /// Prints the status of media.
    func show(media: MediaReply, of application: ReceiverApplication) {
        if self.json {
            StandardOutput.write(lines: [JSONValue.object(media.json).text])
        } else {
            let block = StatusBlock(
                address: self.address, volume: nil, application: application, media: media.status, isAboutMedia: true)
            StandardOutput.write(lines: block.lines)
        }
    }
}
