import ArgumentParser
import CastClient
import CastIdentity
import GatewayCore
import Glibc

@main
struct Castway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "castway",
        abstract: "A Cast gateway: virtual Cast devices, with real devices or a built-in receiver behind them.",
        discussion: """
            Where to begin:
              castway check gateway.yaml               is the configuration right?
              castway run --config gateway.yaml        runs the gateway
              castway reload                           puts a changed gateway.yaml in force
              castway status                           what does it do?
              castway doctor                           is this machine fit for it?
              castway devices                          which devices are in the network?
              castway plugin new --lang python hello   a handler of your own
              castway cast 127.0.0.1 status            talks to a device, virtual or real
              castway config reference                 every key of gateway.yaml

            \(ExitStatus.help(ExitStatus.allCases))

            Output for programs: --json, or --format json, on every command that reports something. Colours and progress are \
            for terminals; --color never, or NO_COLOR, leaves the colours out.

            Environment:
              CASTWAY_CONFIG      the file when none is named; else gateway.yaml
              CASTWAY_LOG_LEVEL   replaces log.level
              LC_ALL, LC_MESSAGES, LANG  the language of errors of devices: de, es, fr; else English, en.
                                  --language TAG on any command replaces it
              NO_COLOR            without colours, whatever it says
              CASTWAY_STATE_DIR   for ${CASTWAY_STATE_DIR} in the file
              CASTWAY_RUN_DIRECTORY  where gateways that run are written down, so that commands find them; else
                                  /run/castway, or castway in $XDG_RUNTIME_DIR
              CREDENTIALS_DIRECTORY  for ${CREDENTIALS_DIRECTORY} in the file: set by systemd
            """,
        version: CastwayVersion.current,
        subcommands: [
            RunCommand.self, ReloadCommand.self, CheckCommand.self, ConfigCommand.self, RouteCommand.self,
            IdentityCommand.self, StateCommand.self, DevicesCommand.self, VirtualDeviceCommand.self,
            MirroringCommand.self, DoctorCommand.self, PluginCommand.self, GatewayStatus.asCommand,
            SenderList.asCommand, SessionList.asCommand, HandlerCommand.self, TokenCommand.self, CodeCommand.self,
            GuestCommand.self, BridgeCommand.self, ChannelCommand.self, OutboxCommand.self, CatalogueCommand.self,
            CallCommand.self, EventsCommand.self, CastCommand.self,
        ])

    static func main() async {
        ProcessSetup.fillStandardDescriptors()
        var arguments = Array(ProcessArguments.all.dropFirst())
        do {
            arguments = try MessageLanguage.take(from: ColourOption.take(from: arguments))
            if let unknown = UnknownCommand(inHelp: arguments, of: Self.self) {
                throw CommandFailure(.usage, unknown.message)
            }
            var command = try Self.command(in: try CastCommand.commandFirst(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            if let failure = Self.failure(error) { Self.end(failure) }
            // Help, the version, and arguments that make no sense; everything else is this program's fault.
            let code = Self.exitCode(for: error)
            if code == .failure { Self.end(CommandFailure(.internalError, "\(error)")) }
            if code == .validationFailure { Self.refuse(arguments, error) }
            Self.exit(withError: error)
        }
    }

    /// The command of a command line. What it does not take for options, such as `-1`, may be a negative number.
    private static func command(in arguments: [String]) throws -> any ParsableCommand {
        do {
            return try Self.parseAsRoot(arguments)
        } catch {
            guard let reordered = NegativeNumbers.last(arguments) else { throw error }
            return try Self.parseAsRoot(reordered)
        }
    }

    /// How the program ends with an error of a command; nil for one of the parser, and for an unknown one.
    private static func failure(_ error: any Error) -> CommandFailure? {
        switch error {
        case let failure as CommandFailure: failure
        case let error as RequestError: CommandFailure(error)
        case let error as IdentityError: CommandFailure(.stateUnusable, error.description)
        case let error as GatewayError: CommandFailure(error)
        case let error as ValidationError: CommandFailure(.usage, Self.sentence(error.message))
        default: nil
        }
    }

    private static func end(_ failure: CommandFailure) -> Never {
        if !failure.message.isEmpty { StandardError.say(failure.message.printable, .error) }
        Glibc.exit(failure.status.rawValue)
    }

    /// Ends with what is wrong with the command line.
    private static func refuse(_ arguments: [String], _ error: any Error) -> Never {
        if let unknown = UnknownCommand(in: arguments, of: Self.self) {
            Self.end(CommandFailure(.usage, unknown.message))
        }
        let message = Self.message(for: error)
        let usage = Self.fullMessage(for: error).replacing("Error: \(message)", with: "", maxReplacements: 1)
        StandardError.say(Self.sentence(message) + usage, .error)
        Glibc.exit(ExitStatus.usage.rawValue)
    }

    /// A message of the parser as all others are written: behind the program's name, with a small letter and without a full stop.
    private static func sentence(_ text: String) -> String {
        let text = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard let first = text.first, text.dropFirst().first?.isUppercase == false else { return String(text) }
        return first.lowercased() + text.dropFirst()
    }
}

enum CastwayVersion { static let current = "0.1.0" }
