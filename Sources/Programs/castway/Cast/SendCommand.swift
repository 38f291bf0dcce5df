import ArgumentParser
import CastClient
import CastWire
import NIOCore

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "send", "Sends a message in any namespace.", arguments: "<namespace> <json> [--app <id>] [--answer]",
        """
        Messages in a namespace of the platform (receiver, multizone, setup, discovery) go to the device, all \
        others to the app that runs; with --app it is launched first when it does not. A message with a requestId \
        is a request: its answer is awaited and printed. In the namespaces of the platform and of media the \
        requestId is added.
        """,
        examples: [
            #"castway cast hall.lan send urn:x-cast:com.google.cast.receiver '{"type":"GET_STATUS"}'"#,
            #"castway cast hall.lan send urn:x-cast:com.example.quiz '{"join":"me"}' --app ABCD1234 --answer"#,
        ])

    @OptionGroup var target: CastTarget
    @Argument(help: "The namespace, urn:x-cast:….") var namespace: String
    @Argument(help: "The message, sent as it is written.") var message: String
    @Option(help: .init("The app that the message is for.", valueName: "id")) var app: AppID?
    @Flag(help: "Waits for the first message that comes back in the namespace, and prints it.") var answer = false

    private static let platformNamespaces: Set<Namespace> = [.receiver, .multizone, .setup, .discovery]

    func validate() throws {
        let namespace = Namespace(rawValue: self.namespace)
        guard self.namespace.hasPrefix("urn:x-cast:") else {
            throw ValidationError("A namespace begins with urn:x-cast:")
        }
        if namespace.isTransport { throw ValidationError("\(namespace) belongs to the connection itself.") }
        if self.app != nil, Self.platformNamespaces.contains(namespace) {
            throw ValidationError("Messages in \(namespace) go to the device itself, so --app does not go with them.")
        }
        do {
            _ = try JSONReader.read(self.message)
        } catch {
            throw ValidationError("The message is no JSON: \(error).")
        }
    }

    func run() async throws {
        let namespace = Namespace(rawValue: self.namespace)
        let payload = CastMessage.Payload.text(self.message)
        try await self.target.withDevice { device in
            let endpoint = try await self.endpoint(of: namespace, on: device)
            if let request = self.request(payload, in: namespace) {
                self.show(try await device.request(request, in: namespace, to: endpoint))
            } else if self.answer {
                self.show(try await device.exchange(payload, in: namespace, to: endpoint))
            } else {
                try await device.send(payload, in: namespace, to: endpoint)
                // The channel keeps its order: once this is answered, the message has arrived.
                try await device.status()
            }
        }
    }

    private func endpoint(of namespace: Namespace, on device: RemoteDevice) async throws -> EndpointID {
        if Self.platformNamespaces.contains(namespace) { return .platformReceiver }
        if let app { return try await self.target.run(app, on: device).transportID }
        guard let app = try await device.status().status?.applications.first(where: { !$0.isIdleScreen }) else {
            throw CommandFailure(.refused, "no app runs; name one with --app")
        }
        return try await device.join(app).transportID
    }

    /// The message as a request, when it is one.
    private func request(_ payload: CastMessage.Payload, in namespace: Namespace) -> JSONObject? {
        guard let object = payload.jsonObject else { return nil }
        if object["requestId"] != nil { return object }
        // The set-up namespace names its number differently, so any message that comes back is the answer.
        if namespace == .setup { return nil }
        return Self.platformNamespaces.contains(namespace) || namespace == .media ? object : nil
    }

    private func show(_ message: CastMessage) { StandardOutput.write(lines: [MessageText.text(message)]) }
}

enum MessageText {
    /// JSON without blanks; other text made fit for a terminal; the length of binary payloads.
    static func text(_ message: CastMessage) -> String {
        switch message.payload {
        case .binary(let bytes): return "\(bytes.readableBytes) bytes"
        case .text(let buffer):
            if let value = try? JSONReader.read(buffer) { return value.text }
            return String(buffer: buffer).printable
        }
    }
}
