@preconcurrency import Glibc

/// What goes wrong, by its name on the command line.
enum Fault: String {
    case exit, kill, stop, spin, hog, trap, silence, late, twice, fork, stubborn, none
    case throwing = "throw"
    case halfLine = "half-line"
    case invalidJSON = "invalid-json"
    case wrongID = "wrong-id"
    case flood = "flood-stdout"
    case floodOfErrors = "flood-stderr"
    case endlessLine = "endless-line"

    /// The kit keeps its wire to itself; it is the only socket.
    private static var wire: Int32 {
        var status = stat()
        return (3..<64).first { fstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK } ?? -1
    }

    /// POSIX_SPAWN_SETSID of spawn.h, which is there for GNU programs alone.
    private static let newSession: Int16 = 0x80

    /// What is to go wrong at a point of life, if that is where.
    static func planned(at point: String) -> Fault? {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, arguments[1] == point else { return nil }
        return Fault(rawValue: arguments[2])
    }

    /// How often it was started in its state directory, this time counted.
    private static let lives: Int = {
        guard let folder = getenv("CASTWAY_STATE_DIR") else { return 0 }
        let file = open("\(String(cString: folder))/lives", O_CREAT | O_WRONLY | O_APPEND, 0o600)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        Self.write(".", to: file)
        return Int(lseek(file, 0, SEEK_CUR))
    }()

    /// Does wrong, if this is where: a beginning has to be the second.
    static func reach(_ point: String) {
        let lives = Self.lives
        guard let fault = Self.planned(at: point), lives == 2 || point == "drain" else { return }
        fault.happen()
    }

    /// Does wrong.
    func happen() {
        switch self {
        case .exit: _exit(3)
        case .kill: raise(SIGKILL)
        case .stop: raise(SIGSTOP)
        case .spin: while true { sched_yield() }
        case .hog: Self.hog()
        case .trap: fatalError("as it was told to")
        case .halfLine:
            Self.write(#"{"jsonrpc":"2.0","id":1,"res"#, to: Self.wire)
            _exit(3)
        case .invalidJSON:
            Self.write(#"{"jsonrpc":"2.0","id":987654321,"result":{"disposition"]"# + "\n", to: Self.wire)
        case .wrongID:
            Self.write(
                #"{"jsonrpc":"2.0","id":987654321,"result":{"disposition":"handled"}}"# + "\n", to: Self.wire)
        case .flood: Self.write(String(repeating: "this is no message\n", count: 200_000), to: Self.wire)
        case .endlessLine: Self.write(String(repeating: "x", count: 16 << 20), to: Self.wire)
        case .floodOfErrors:
            Self.write(String(repeating: "something went wrong somewhere\n", count: 30_000), to: STDERR_FILENO)
        case .fork: Self.fork()
        case .stubborn:
            signal(SIGTERM, SIG_IGN)
            while true { pause() }
        case .silence, .late, .twice, .throwing, .none: break
        }
    }

    /// Takes a gigabyte and touches all of it; what keeps it from that ends it.
    private static func hog() {
        for _ in 0..<64 {
            // By the kernel, since the optimiser leaves out memory that is not read.
            let kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
            guard mmap(nil, 16 << 20, PROT_READ | PROT_WRITE, kind, -1, 0) != MAP_FAILED else { abort() }
        }
        _exit(0)
    }

    /// Makes many processes that would stay, in sessions of their own; far fewer than would slow the machine.
    private static func fork() {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Self.newSession)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        for _ in 0..<60 {
            var process = pid_t()
            guard posix_spawn(&process, "/bin/sleep", nil, &attributes, &arguments, environ) == 0 else { break }
        }
        _exit(3)
    }

    /// Writes all of it, from one thread.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR, errno != EAGAIN { return }
        }
    }
}
