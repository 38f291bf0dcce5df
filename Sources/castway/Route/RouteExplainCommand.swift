import ArgumentParser
import CastWire
import GatewayApp
import GatewayConfig
import GatewayCore
import NamespaceHandlers
import PluginHosting
import VirtualDevices

/// `castway route explain`
struct RouteExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints who would be asked about a message, in order, from the configuration alone.",
        discussion: """
            Filters come first, then what the gateway itself refuses, then the handlers that may own the message, then what \
            happens when none of them takes it, then those who receive copies, then the handlers that are off. A plugin that is not enabled stands at its \
            place as skipped: the message goes on to the next line. At the end of a \
            line stands where the handler is listed in handlers. Plugins are listed with all that they are granted; one that runs may have \
            asked for less, which castway plugin inspect shows.

            Examples:
              castway route explain --device hall --namespace urn:x-cast:com.example.quiz
              castway route explain --device hall --namespace urn:x-cast:com.google.cast.receiver --type LAUNCH
              castway route explain --device hall --namespace urn:x-cast:com.google.cast.media --direction to-sender
              castway route explain --leg own --device wall --namespace urn:x-cast:com.example.quiz --direction to-sender
            """)

    @OptionGroup var file: ConfigOption

    @Option(
        help: ArgumentHelp(
            "The virtual device that the message passes; with --leg own the real one.", valueName: "name"))
    var device: String

    @Option(
        help:
            "Whose connection to the app the message passes: sender, of a virtual device, or own, of the gateway's own session with a real device."
    )
    var leg: RouteLeg = .sender

    @Option(help: ArgumentHelp("The message's namespace.", valueName: "urn"))
    var namespace: String

    @Option(help: ArgumentHelp("The message's type; without it every type is explained.", valueName: "type"))
    var type: String?

    @Option(help: "Which way the message travels: to-receiver or to-sender.")
    var direction: RouteDirection = .toReceiver

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let path = self.file.path
        let configuration = try ConfigurationFile.configuration(path)
        let device = try self.device(in: configuration)
        let passed = configuration.virtualDevices.first { $0.name == self.device }?.passedName
        if self.leg != .own, let passed {
            let text = PassthroughCheck.routeText(to: passed)
            let json: JSONValue = ["phase": "gateway", "text": .string(text)]
            return StandardOutput.write(lines: [self.output.isJSON ? json.text : text.printable])
        }
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: configuration.builtInHandlers + configuration.plugins.silentHandlers,
            following: configuration.handlerPlan, guardedBy: configuration.messageGuard)
        let explanation = RouteExplanation(
            table: registry.table, settings: configuration.routing.router, device: device,
            namespace: Namespace(rawValue: self.namespace), type: self.type,
            direction: self.direction.messageDirection, notes: configuration.plugins.routeNotes,
            handlers: registry.summaries)
        if self.output.isJSON {
            StandardOutput.write(
                lines: explanation.steps.map { step in
                    JSONValue.object(["phase": .string(step.phase), "text": .string(step.text)]).text
                })
        } else {
            StandardOutput.write(lines: explanation.lines.map(\.printable))
        }
    }

    /// The device that is meant. On the leg `own` any name may be one's that discovery finds.
    private func device(in configuration: GatewayConfiguration) throws -> DeviceFacts {
        if self.leg == .own {
            return DeviceFacts(
                name: self.device, target: self.device, description: SilentDescription(), leg: .own)
        }
        guard let device = configuration.virtualDevices.first(where: { $0.name == self.device }) else {
            throw Self.unknown(
                self.device, known: configuration.virtualDevices.map(\.name), path: self.file.path)
        }
        var target: String?
        if case .device(let name) = device.target { target = name }
        return DeviceFacts(name: device.name, target: target, description: SilentDescription())
    }

    private static func unknown(_ name: String, known: [String], path: String) -> CommandFailure {
        var problems = ConfigProblems()
        problems.addUndefined(
            name, what: "virtual device", at: .wholeFile(path), known: known, place: "virtual_devices")
        let words = problems.all.map { "\(path): \($0.message)" + ($0.hint.map { ": \($0)" } ?? "") }
        return CommandFailure(.usage, words.joined())
    }
}

/// `castway route`
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "Shows which way messages take.", subcommands: [RouteExplainCommand.self])
}

/// The directions that `--direction` names.
enum RouteDirection: String, ExpressibleByArgument, CaseIterable {
    case toReceiver = "to-receiver"
    case toSender = "to-sender"

    /// The same in the words of the router.
    var messageDirection: MessageDirection {
        switch self {
        case .toReceiver: .toReceiver
        case .toSender: .toSender
        }
    }
}

/// The legs that `--leg` names.
enum RouteLeg: String, ExpressibleByArgument, CaseIterable {
    case sender
    case own
}
