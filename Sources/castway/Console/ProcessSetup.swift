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
    }
}
