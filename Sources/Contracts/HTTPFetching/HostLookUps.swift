import GatewayConfig
import Glibc
import NIOCore
import Synchronization

/// Looks names up, each on a thread of its own while it lasts: getaddrinfo(3) blocks, and cannot be interrupted.
///
/// A name that is being looked up is not looked up a second time beside it, and each owner has few look-ups at once, so that names
/// that are never answered hold up no other.
final class HostLookUps: Sendable {
    typealias Found = Result<[IPAddress], HostResolver.NotFound>
    typealias Completion = @Sendable (Found) -> Void

    /// How many look-ups there are at once: of one owner, and in all.
    private static let limits = (owner: 8, total: 32)

    private struct Waiting {
        let host: String
        let owner: String
        let deadline: NIODeadline
        let completion: Completion
    }

    private struct State {
        /// What is looked up, with those that wait for it.
        var running: [String: [Completion]] = [:]
        /// How many look-ups each owner has.
        var owners: [String: Int] = [:]
        var waiting: [Waiting] = []

        /// The next that has its turn; those that have waited too long are forgotten.
        mutating func next(at now: NIODeadline) -> Waiting? {
            self.waiting.removeAll { $0.deadline <= now }
            var index = 0
            while index < self.waiting.count {
                let candidate = self.waiting[index]
                if self.running[candidate.host] != nil {
                    self.running[candidate.host]?.append(candidate.completion)
                    self.waiting.remove(at: index)
                } else if self.running.count < HostLookUps.limits.total,
                    self.owners[candidate.owner, default: 0] < HostLookUps.limits.owner
                {
                    self.running[candidate.host] = [candidate.completion]
                    self.owners[candidate.owner, default: 0] += 1
                    return self.waiting.remove(at: index)
                } else {
                    index += 1
                }
            }
            return nil
        }
    }

    private let resolve: @Sendable (String) -> Found
    private let state = Mutex(State())

    /// - Parameter resolve: finds the addresses of a host; blocks.
    init(_ resolve: @escaping @Sendable (String) -> Found) {
        self.resolve = resolve
    }

    /// Looks a name up, at once or when it has its turn.
    /// - Parameters:
    ///   - owner: for whom; in a word that all its look-ups share.
    ///   - deadline: from then on a look-up that has not begun is not made any more.
    ///   - completion: called once on another thread, unless the look-up is not made.
    func find(_ host: String, for owner: String, before deadline: NIODeadline, _ completion: @escaping Completion) {
        self.state.withLock {
            $0.waiting.append(Waiting(host: host, owner: owner, deadline: deadline, completion: completion))
        }
        self.startWaiting()
    }

    private func startWaiting() {
        while let next = self.state.withLock({ $0.next(at: .now()) }) {
            let isStarted = DetachedThread.start {
                self.end(next, self.resolve(next.host))
                self.startWaiting()
            }
            guard !isStarted else { continue }
            self.end(next, .failure(HostResolver.NotFound(description: "there is no thread to look it up")))
        }
    }

    private func end(_ waiting: Waiting, _ found: Found) {
        let completions = self.state.withLock { state in
            if let count = state.owners[waiting.owner] { state.owners[waiting.owner] = count > 1 ? count - 1 : nil }
            return state.running.removeValue(forKey: waiting.host) ?? []
        }
        for completion in completions { completion(found) }
    }
}

/// A thread that ends with what it does.
private enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// - Returns: whether the system has one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        guard result == 0 else {
            Unmanaged<Body>.fromOpaque(context).release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
