import Foundation
import Glibc
import Synchronization

/// The built `castway`, run as people run it.
struct CastwayProcess: Sendable {
    /// What came of it.
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The lines on standard error.
        var errorLines: [Substring] { self.errors.split(separator: "\n") }
    }

    struct NotStarted: Error {
        let code: Int32
    }

    /// Its process.
    let id: pid_t
    private let ended: AsyncStream<Int32>
    private let output: AsyncStream<String>
    private let errors: AsyncStream<String>

    /// Starts it. The environment holds nothing but what is given, and where gateways are
    /// written down that run: in the folder, unless the environment says otherwise.
    /// - Parameter wrapper: a program, and its arguments, that runs what follows.
    init(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        through wrapper: [String] = []
    ) throws {
        let inFolder = folder.map { ["/usr/bin/env", "-C", $0] } ?? []
        let program = inFolder + wrapper + [Self.executable] + arguments
        var environment = environment
        // Gateways of other tests are not to be found.
        if environment["CASTWAY_RUN_DIRECTORY"] == nil {
            environment["CASTWAY_RUN_DIRECTORY"] = folder.map { "\($0)/run" } ?? "/nowhere"
        }
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let (id, output, errors) = try Self.turn.withLock { _ in
            let output = try OutputPipe()
            let errors = try OutputPipe()
            return (try Self.spawn(program, variables, output: output, errors: errors), output, errors)
        }
        self.id = id
        self.output = output.lines()
        self.errors = errors.lines()
        let (ended, input) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0 && errno == EINTR {}
            // 128 + n is how shells show a signal.
            input.yield(status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F)
            input.finish()
        }
    }

    /// Keeps starts apart: a child that starts at the same time must not inherit the pipes of another.
    private static let turn = Mutex<Void>(())

    private static func spawn(
        _ program: [String], _ variables: [String], output: OutputPipe, errors: OutputPipe
    ) throws -> pid_t {
        defer {
            close(output.writeEnd)
            close(errors.writeEnd)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writeEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.writeEnd, STDERR_FILENO)
        // The test's own signal mask and dispositions are not the child's.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var id: pid_t = 0
        let code = Self.withStrings(program) { argv in
            Self.withStrings(variables) { envp in
                posix_spawn(&id, program[0], &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw NotStarted(code: code) }
        return id
    }

    /// Runs it to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], folder: String? = nil
    ) async throws -> Result {
        try await CastwayProcess(arguments, environment: environment, folder: folder).result()
    }

    /// Waits for the end. What ``wait(for:)`` took is not in the result.
    func result() async -> Result {
        async let output = self.output.reduce("", +)
        async let errors = self.errors.reduce("", +)
        let status = await self.ended.first { _ in true }
        return await Result(status: status ?? -1, output: output, errors: errors)
    }

    /// Sends a signal.
    func signal(_ signal: Int32) { Glibc.kill(self.id, signal) }

    /// Sends SIGTERM.
    func terminate() { Glibc.kill(self.id, SIGTERM) }

    /// Sends SIGKILL.
    func kill() { Glibc.kill(self.id, SIGKILL) }

    /// Sends SIGHUP.
    func hangUp() { Glibc.kill(self.id, SIGHUP) }

    /// Sends SIGINT.
    func interrupt() { Glibc.kill(self.id, SIGINT) }

    /// Reads standard output until it holds a text.
    func wait(for text: String) async -> String {
        var seen = ""
        for await line in self.output {
            seen += line
            if seen.contains(text) { break }
        }
        return seen
    }

    /// Reads standard error until it holds a text. What this took is not in the result.
    func waitForErrors(_ text: String) async -> String {
        var seen = ""
        for await line in self.errors {
            seen += line
            if seen.contains(text) { break }
        }
        return seen
    }

    /// Reads standard error until a line holds a text, and gives that line.
    func errorLine(with text: String) async -> String? {
        for await line in self.errors where line.contains(text) {
            return line.hasSuffix("\n") ? String(line.dropLast()) : line
        }
        return nil
    }

    /// The built program, beside the test bundle, where the build puts it.
    static var executable: String {
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appending(path: "castway").path
    }

    private static func withStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
