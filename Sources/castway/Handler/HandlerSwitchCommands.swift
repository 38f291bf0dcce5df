import ArgumentParser
import CastWire
import NIOCore
import NIOHTTP1

/// Which handler a command is about.
struct HandlerArgument: ParsableArguments {
    @Argument(help: "The handler's name as 'castway handler list' shows it; for a channel its namespace will do.")
    var name: String
}

/// For how long a command holds.
struct KeepOption: ParsableArguments {
    @Flag(help: "Holds after a restart of the gateway too.")
    var keep = false
}

/// `castway handler enable`
struct HandlerEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Has a handler of the running gateway asked about messages.",
        discussion: """
            Example:
              castway handler enable media
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var keeping: KeepOption

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await HandlerRequest(self.control).change(
            "enable", self.handler.name, isKept: self.keeping.keep, asJSON: self.output.isJSON)
    }
}

/// `castway handler disable`
struct HandlerDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Has a handler of the running gateway not asked about messages.",
        discussion: """
            It is on again after a restart of the gateway unless --keep is given, and after a reload of a file whose \
            entry for it in 'handlers' has changed.

            Example:
              castway handler disable media --keep
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var keeping: KeepOption

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await HandlerRequest(self.control).change(
            "disable", self.handler.name, isKept: self.keeping.keep, asJSON: self.output.isJSON)
    }
}

/// `castway handler reset`
struct HandlerResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Has a handler of the running gateway do what the configuration says.",
        discussion: """
            Example:
              castway handler reset media
            """)

    @OptionGroup var handler: HandlerArgument

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await HandlerRequest(self.control).change(
            "reset", self.handler.name, isKept: false, asJSON: self.output.isJSON)
    }
}

/// Asks the running gateway about its handlers.
struct HandlerRequest {
    private let client: ControlClient

    init(_ control: ControlOption) throws {
        self.client = ControlClient(address: try control.find().address)
    }

    /// Sends a request.
    /// - Throws: ``CommandFailure`` for anything but success.
    func send(_ method: HTTPMethod, _ uri: String) async throws -> ControlReply {
        let reply = try await self.client.send(method, uri, timeout: .seconds(30))
        guard reply.status == 200 else {
            let error = (try? JSONReader.read(reply.body))?.objectValue?.object("error")
            throw CommandFailure(
                .refused, error?.string("message") ?? "the gateway answered with status \(reply.status)")
        }
        return reply
    }

    /// Switches a handler, and prints how it stands then.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    func change(_ action: String, _ name: String, isKept: Bool, asJSON: Bool) async throws {
        let keep = isKept ? "&keep=true" : ""
        let reply = try await self.send(.POST, "/api/v1/handlers/\(action)?name=\(Self.escaped(name))\(keep)")
        if asJSON { return StandardOutput.write(reply.body) }
        let answer = try reply.object()
        let handlers = answer.array("handlers")?.compactMap(\.objectValue) ?? []
        var lines = handlers.map { "\($0.string("name") ?? "") is \(HandlerTableText.state($0))" }
        lines += (answer.array("notes") ?? []).compactMap(\.stringValue)
        StandardOutput.write(lines: lines.map(\.printable))
    }

    private static func escaped(_ text: String) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        return text.utf8.map { byte in
            if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
