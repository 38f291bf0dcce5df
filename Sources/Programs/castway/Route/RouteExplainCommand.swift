import ArgumentParser
import CastWire
import DeviceControl
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import NamespaceHandlers
import PluginHosting
import VirtualDevices

struct RouteExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "explain", "Prints who would be asked about a message, in order, from the configuration alone.",
        """
        Filters come first, then what the gateway itself refuses, then the handlers that may own the message, then what \
        happens when none of them takes it, then those who receive copies, then the handlers that are off. A plugin that is not enabled stands at its \
        place as skipped: the message goes on to the next line. At the end of a \
        line stands where the handler is listed in handlers. Plugins are listed with all that they are granted; one that runs may have \
        asked for less, which castway plugin inspect shows.
        """,
        examples: [
            "castway route explain --device hall --namespace urn:x-cast:com.example.quiz",
            "castway route explain --device hall --namespace urn:x-cast:com.google.cast.receiver --type LAUNCH",
            "castway route explain --device hall --namespace urn:x-cast:com.google.cast.media --direction to-sender",
            "castway route explain --leg own --device wall --namespace urn:x-cast:com.example.quiz --direction to-sender",
        ])

    @OptionGroup var file: ConfigOption
    @Option(help: .init("The virtual device that the message passes; with --leg own the real one.", valueName: "name"))
    var device: String

    @Option(
        help:
            "Whose connection to the app the message passes: sender, of a virtual device, or own, of the gateway's own session with a real device."
    )
    var leg: RouteLeg = .sender

    @Option(help: .init("The message's namespace.", valueName: "urn")) var namespace: String
    @Option(help: .init("The message's type; without it every type is explained.", valueName: "type")) var type: String?
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
            return self.output.write(RouteStepResult.json(("gateway", text)), else: [text.printable])
        }
        let registry = HandlerRegistry()
        try registry.replaceAll(
            with: configuration.builtInHandlers + configuration.plugins.silentHandlers,
            following: configuration.handlerPlan, guardedBy: configuration.messageGuard)
        let explanation = RouteExplanation(
            table: registry.table, settings: configuration.routing.router, device: device,
            namespace: Namespace(rawValue: self.namespace), type: self.type, direction: self.direction.messageDirection,
            notes: configuration.plugins.routeNotes, handlers: registry.summaries)
        self.output.write(explanation.steps.map(RouteStepResult.json), else: explanation.lines.map(\.printable))
    }

    /// The device that is meant. On the leg `own` any name may be one's that discovery finds.
    private func device(in configuration: GatewayConfiguration) throws -> DeviceFacts {
        if self.leg == .own {
            return DeviceFacts(name: self.device, target: self.device, description: SilentDescription(), leg: .own)
        }
        guard let device = configuration.virtualDevices.first(where: { $0.name == self.device }) else {
            var problems = ConfigProblems()
            problems.addUndefined(
                self.device, what: "virtual device", at: .wholeFile(self.file.path),
                known: configuration.virtualDevices.map(\.name), place: "virtual_devices")
            let words = problems.all.map { "\(self.file.path): \($0.message)\($0.hint.map { ": \($0)" } ?? "")" }
            throw CommandFailure(.usage, words.joined())
        }
        var target: String?
        if case .device(let name) = device.target { target = name }
        return DeviceFacts(name: device.name, target: target, description: SilentDescription())
    }
}

struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "route", "Shows which way messages take.", subcommands: [RouteExplainCommand.self])
}

enum RouteDirection: String, ExpressibleByArgument, CaseIterable {
    case toReceiver = "to-receiver"
    case toSender = "to-sender"

    var messageDirection: MessageDirection {
        switch self {
        case .toReceiver: .toReceiver
        case .toSender: .toSender
        }
    }
}

enum RouteLeg: String, ExpressibleByArgument, CaseIterable { case sender, own }
