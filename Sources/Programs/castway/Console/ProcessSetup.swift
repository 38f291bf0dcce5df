import CProcess
import GatewayApp
import GatewaySettings
import Glibc

/// What the process sees to before it does anything else.
enum ProcessSetup {
    /// Fills the places of standard input, output and error that were closed: the next socket would become one of them,
    /// and the log would be written to it.
    static func fillStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Prepares for a run of months: a log whose reader is gone must not end it, nor a signal that is not obeyed yet, and
    /// every sender takes a descriptor.
    static func prepareService() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGQUIT, SIG_IGN)
        DescriptorLimit.raise()
        Self.hideMemory()
    }

    /// Refuses to begin what could serve no sender: event loops cannot be made without descriptors, nor connections accepted.
    /// - Throws: ``CommandFailure`` with the number that is needed.
    static func requireDescriptors(for configuration: GatewayConfiguration) throws {
        let (need, limit) = (DescriptorNeed(configuration), DescriptorLimit.current)
        guard limit.soft < need.minimum else { return }
        throw CommandFailure(
            .configurationInvalid,
            "at most \(limit.soft) files and sockets may be open, and this configuration needs at least \(need.minimum) "
                + "(\(need.total) for all connections that it allows): raise LimitNOFILE in the systemd unit, or 'ulimit -n' before the start"
        )
    }

    /// Keeps the keys in memory to this process: no core file, and no look from another process of the same user, as
    /// plugins are.
    private static func hideMemory() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = castway_hide_memory()
    }
}

/// Writes to open files.
enum FileDescriptor {
    /// Writes all of a text.
    /// - Returns: false when it cannot be written.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Bool { Self.write(Array(text.utf8), to: file) }

    /// Writes all of some bytes.
    /// - Returns: false when they cannot be written.
    @discardableResult
    static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// The arguments that the process was started with.
enum ProcessArguments {
    /// The program's name, and what follows it. Not from `/proc`, unlike those of `CommandLine`.
    static let all: [String] = (0..<castway_argument_count()).compactMap { index in
        castway_argument(index).map { String(cString: $0) }
    }
}

/// The variables that the process was started with.
enum ProcessEnvironment {
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}

enum SystemError {
    /// `Permission denied` and the like.
    static func text(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
