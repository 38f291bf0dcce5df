import CAvahi
import Glibc
import Synchronization

/// The one thread on which everything of Avahi happens: its callbacks, and what others ask to be done there.
///
/// No other thread ever waits for it, since a call to a daemon that hangs blocks it: commands are queued and the thread is
/// woken through an eventfd.
///
/// `@unchecked Sendable`: the pointers are set in `init` and given back in ``stop()``; the queue has its own lock.
final class AvahiThread: @unchecked Sendable {
    private let poll: OpaquePointer
    private let wakeDescriptor: Int32
    private let commands = Mutex<[@Sendable () -> Void]>([])
    private let phase = Mutex(Phase.idle)

    private enum Phase {
        case idle, running, stopped
    }

    /// Makes the thread; it begins with ``start()``.
    /// - Returns: nil when the system has no descriptors or memory left.
    init?() {
        guard let poll = avahi_threaded_poll_new() else { return nil }
        let descriptor = castway_wake_descriptor()
        guard descriptor >= 0 else {
            avahi_threaded_poll_free(poll)
            return nil
        }
        self.poll = poll
        self.wakeDescriptor = descriptor
    }

    /// The poll API that Avahi's clients need to live on this thread.
    var api: UnsafePointer<AvahiPoll>? { avahi_threaded_poll_get(self.poll) }

    /// Begins; the thread keeps itself alive until ``stop()``.
    func start() {
        guard let api, self.enter(.running, from: .idle) else { return }
        let context = Unmanaged.passRetained(self).toOpaque()
        _ = api.pointee.watch_new(
            api, self.wakeDescriptor, AVAHI_WATCH_IN,
            { _, _, _, context in
                guard let context else { return }
                Unmanaged<AvahiThread>.fromOpaque(context).takeUnretainedValue().runCommands()
            }, context)
        avahi_threaded_poll_start(self.poll)
    }

    /// Does something on the thread, behind what was asked before. Callable from anywhere; never waits.
    func perform(_ command: @escaping @Sendable () -> Void) {
        self.commands.withLock { $0.append(command) }
        var one: UInt64 = 1
        _ = Glibc.write(self.wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    private func runCommands() {
        var count: UInt64 = 0
        _ = Glibc.read(self.wakeDescriptor, &count, MemoryLayout<UInt64>.size)
        let commands = self.commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
        for command in commands { command() }
    }

    /// Ends the thread, when everything that was asked is done; nothing is done of what is asked before it began. Not to be
    /// called on the thread itself.
    func stop() async {
        guard self.enter(.stopped, from: .running) else { return }
        await withCheckedContinuation { continuation in self.perform { continuation.resume() } }
        avahi_threaded_poll_stop(self.poll)
        Unmanaged.passUnretained(self).release()
    }

    private func enter(_ next: Phase, from: Phase) -> Bool {
        self.phase.withLock { phase in
            guard phase == from else { return false }
            phase = next
            return true
        }
    }

    deinit {
        avahi_threaded_poll_free(self.poll)
        Glibc.close(self.wakeDescriptor)
    }
}

/// Wakes its owner once after a while. Lives on the Avahi thread, every call too.
final class AvahiTimer {
    private let api: UnsafePointer<AvahiPoll>
    private var timeout: OpaquePointer?
    private let fired: () -> Void

    init(_ api: UnsafePointer<AvahiPoll>, fired: @escaping () -> Void) {
        self.api = api
        self.fired = fired
    }

    /// Fires after so many milliseconds, and not when it should have before.
    func schedule(milliseconds: Int) {
        var instant = timeval()
        avahi_elapse_time(&instant, UInt32(clamping: milliseconds), 0)
        if let timeout {
            self.api.pointee.timeout_update(timeout, &instant)
        } else {
            self.timeout = self.api.pointee.timeout_new(
                self.api, &instant,
                { _, context in
                    guard let context else { return }
                    Unmanaged<AvahiTimer>.fromOpaque(context).takeUnretainedValue().fired()
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// Does not fire any more; has to be called before the last reference goes.
    func cancel() {
        if let timeout { self.api.pointee.timeout_free(timeout) }
        self.timeout = nil
    }
}
