import Glibc

/// A thread of the system's, for what blocks.
struct Thread {
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
