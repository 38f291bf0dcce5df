import CProcess
import GatewayApp
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

    /// Keeps the keys in memory to this process: no core file, and no look from another process of the same user, as
    /// plugins are.
    private static func hideMemory() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = castway_hide_memory()
    }
}
