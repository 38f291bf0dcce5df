@preconcurrency import Glibc
import Synchronization
import SystemPrimitives

/// A plugin's process: finds the wire in the environment, and reads it until the gateway ends it.
enum PluginProgram {
    /// What a user reads who starts a plugin by hand.
    private static let explanation = """
        This is a plugin of Castway; a gateway starts it, and talks to it over standard input and output.
          castway plugin check DIR    is it right?
          castway plugin test DIR     does it do what its transcripts say?
          castway plugin run DIR      runs it in a small gateway; with --attach, under your debugger

        """
    /// The exit code of a program that was used otherwise than it should be (sysexits.h, EX_USAGE).
    private static let usageCode: Int32 = 64
    /// The exit code of a program that lacks what the system should have given (sysexits.h, EX_OSERR).
    private static let systemCode: Int32 = 71

    /// Runs a plugin to its end.
    /// - Returns: the exit code.
    static func run(_ type: any CastPlugin.Type) async -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        let wire: DescriptorWire
        switch Self.openWire() {
        case .success(let opened): wire = opened
        case .failure(let failure):
            Self.complain(failure.text)
            return failure.code
        }
        return await withCheckedContinuation { continuation in
            let ending = Ending(continuation)
            let session = PluginSession(type, identity: Self.identity, output: wire) { ending.end($0) }
            let thread = Thread {
                var incoming = IncomingLines()
                while let bytes = wire.read() {
                    incoming.splitter.append(bytes)
                    session.receive(&incoming)
                    guard incoming.splitter.unfinishedLength <= PluginProtocol.maximumUnfinishedLength else { break }
                }
                session.close()
                // The gateway is gone, or no gateway.
                ending.end(0)
            }
            if !thread.start() { ending.end(Self.systemCode) }
        }
    }

    private struct Failure: Error {
        let text: String
        let code: Int32
    }

    private static func openWire() -> Result<DescriptorWire, Failure> {
        if let path = Self.variable("CASTWAY_CONNECT") {
            guard let socket = UnixSocketAddress.connect(to: path) else {
                return .failure(Failure(text: "cannot connect to \(path): error \(errno)\n", code: Self.systemCode))
            }
            return .success(DescriptorWire(input: socket, output: socket))
        }
        guard Self.variable("CASTWAY_PLUGIN_COOKIE") != nil else {
            return .failure(Failure(text: Self.explanation, code: Self.usageCode))
        }
        // The wire moves away from 0 and 1, so that nothing that reads or prints can touch it.
        let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard input >= 0, output >= 0, nothing >= 0, dup2(nothing, STDIN_FILENO) >= 0,
            dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
        else { return .failure(Failure(text: "cannot move the wire: error \(errno)\n", code: Self.systemCode)) }
        close(nothing)
        // What is printed reaches the log line by line.
        setvbuf(stdout, nil, Int32(_IOLBF), 0)
        return .success(DescriptorWire(input: input, output: output))
    }

    private static var identity: PluginIdentity? {
        Self.variable("CASTWAY_PLUGIN_ID").map {
            PluginIdentity(id: $0, version: Self.variable("CASTWAY_PLUGIN_VERSION") ?? "0")
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static func complain(_ text: String) {
        _ = text.utf8Span.span.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The exit code of the first caller counts.
    private final class Ending: Sendable {
        private let continuation: Mutex<CheckedContinuation<Int32, Never>?>

        init(_ continuation: CheckedContinuation<Int32, Never>) {
            self.continuation = Mutex(continuation)
        }

        func end(_ code: Int32) {
            let continuation = self.continuation.withLock { value in
                defer { value = nil }
                return value
            }
            continuation?.resume(returning: code)
        }
    }
}

extension CastPlugin {
    /// The program of a plugin: `@main` calls it. Ends with 0 when the gateway ends it, with 78 when the configuration
    /// makes no sense, with 64 when no gateway started it.
    @concurrent
    public static func main() async {
        let code = await PluginProgram.run(Self.self)
        // Other threads may still be busy; nothing is taken from under them.
        fflush(nil)
        _exit(code)
    }
}

/// A thread of the system's, for what blocks.
private struct Thread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let body: Body

    init(_ run: @escaping @Sendable () -> Void) {
        self.body = Body(run)
    }

    /// Starts it; it ends by itself.
    /// - Returns: false when the system does not give one.
    func start() -> Bool {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(self.body)
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
