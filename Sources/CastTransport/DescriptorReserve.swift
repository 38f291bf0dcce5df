import Glibc
import Synchronization

/// A descriptor that is kept for the moment when the process has none left, so that one more connection can be accepted.
public final class DescriptorReserve: Sendable {
    private let descriptor = Mutex<CInt?>(nil)

    /// Takes a descriptor, if there is one.
    public init() {
        self.refill()
    }

    deinit {
        _ = self.release()
    }

    /// True while it has something to give.
    public var isHeld: Bool { self.descriptor.withLock { $0 != nil } }

    /// Gives the descriptor back to the system.
    /// - Returns: false when there is none.
    public func release() -> Bool {
        self.descriptor.withLock { held in
            guard let number = held else { return false }
            held = nil
            return close(number) == 0
        }
    }

    /// Takes a descriptor again, if it has none and there is one.
    public func refill() {
        self.descriptor.withLock { held in
            guard held == nil else { return }
            let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
            held = number >= 0 ? number : nil
        }
    }
}
