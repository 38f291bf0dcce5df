import CAvahi
import Glibc

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
