import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import SystemPrimitives

/// The gateway's connection with a broker, which comes back by itself.
///
/// libmosquitto and its socket belong to one thread, ``MQTTThread``, and a ``BrokerRelay`` stands between it and the broker; what others publish waits in a mailbox that this thread empties, and
/// no other thread ever waits for it. What wants an acknowledgement is only taken while there is a connection.
final class MQTTConnection: Sendable {
    /// Callbacks on the connection's thread; never called after ``run()`` has returned.
    struct Handlers: Sendable {
        /// The subscriptions stand.
        var opened: @Sendable (MQTTTerms) -> Void = { _ in }
        /// An attempt has failed, or the connection is lost. What was under way is given back afterwards.
        var closed: @Sendable (MQTTReason) -> Void = { _ in }
        var received: @Sendable (MQTTInbound) -> Void = { _ in }
    }

    /// The settings of a connection.
    struct Settings: Sendable {
        var client: MosquittoClient.Options
        /// The filters of commands.
        var filters: [String] = []
        /// The filters of topics that the gateway itself publishes too, whose echo is not wanted.
        var ownFilters: [String] = []
        var times = MQTTLinkStateMachine.Times()
        /// The number of messages a second that are taken, on the average.
        var rate = 500
        /// Runs the connection with the broker.
        var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    }

    typealias Completion = @Sendable (MQTTPublishOutcome) -> Void

    struct Outgoing: Sendable {
        var publication: MQTTPublication
        /// True if it counts only when the broker has acknowledged it.
        var needsAcknowledgement: Bool
        var completion: Completion
    }

    /// The data that other threads hand over.
    struct Mailbox: Sendable {
        /// True if there is a connection.
        var isOpen = false
        var isStopping = false
        var ordered = CircularBuffer<Outgoing>()
        var orderedBytes = 0
        var retained = RetainedTopics()
        /// True if the thread has been woken and has not looked yet.
        var isWoken = false
    }

    /// The limit of the mailbox. Carriers have fewer messages under way than that.
    private static let maximumWaiting = 4096
    private static let maximumWaitingBytes = 64 << 20

    let settings: Settings
    let handlers: Handlers
    let logger: Logger
    private let mailbox = Mutex(Mailbox())
    private let wake: WakePipe
    private let thread = Mutex(Phase.idle)

    private enum Phase {
        case idle
        case running
        case ended
        case awaited(CheckedContinuation<Void, Never>)
    }

    /// - Throws: ``MQTTFailure`` when the system has no descriptors left.
    init(_ settings: Settings, handlers: Handlers, logger: Logger) throws(MQTTFailure) {
        self.settings = settings
        self.handlers = handlers
        self.logger = logger
        self.wake = try WakePipe()
    }

    // MARK: For every thread

    /// Publishes something in the order of the calls. Returns at once.
    /// - Parameters:
    ///   - needsAcknowledgement: whether a broker that acknowledges nothing is to be refused.
    ///   - completion: called once, on the connection's thread or within the call.
    func publish(
        _ publication: MQTTPublication, needsAcknowledgement: Bool = true, completion: @escaping Completion = { _ in }
    ) {
        let outgoing = Outgoing(
            publication: publication, needsAcknowledgement: needsAcknowledgement, completion: completion)
        let size = publication.payload.readableBytes
        let refusal: String? = self.mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return "there is no connection with the broker" }
            guard mailbox.ordered.count < Self.maximumWaiting, mailbox.orderedBytes + size <= Self.maximumWaitingBytes
            else { return "too much waits for the broker" }
            mailbox.ordered.append(outgoing)
            mailbox.orderedBytes += size
            self.wakeThread(&mailbox)
            return nil
        }
        if let refusal { completion(.lost(refusal)) }
    }

    /// Sets what topics are to have at the broker, now and whenever the connection comes back; nil clears one. Only the newest
    /// payload of a topic is sent.
    func retain(_ topics: [(topic: String, payload: ByteBuffer?)]) {
        self.mailbox.withLock { mailbox in
            for (topic, payload) in topics { mailbox.retained.set(topic, to: payload) }
            self.wakeThread(&mailbox)
        }
    }

    /// Publishes anew what the broker is to keep below a topic.
    func repeatRetained(below prefix: String) {
        self.mailbox.withLock { mailbox in
            mailbox.retained.repeatAll(below: prefix)
            self.wakeThread(&mailbox)
        }
    }

    private func wakeThread(_ mailbox: inout Mailbox) {
        guard !mailbox.isWoken else { return }
        mailbox.isWoken = true
        self.wake.signal()
    }

    // MARK: Life

    /// Keeps the connection until the task is cancelled; then says `offline`, disconnects, and returns when the thread has ended.
    /// To be called once.
    func run() async {
        guard self.begin() else {
            self.logger.error("The thread for MQTT cannot be made")
            return
        }
        await untilCancelled()
        self.mailbox.withLock { mailbox in
            mailbox.isStopping = true
            self.wakeThread(&mailbox)
        }
        await withCheckedContinuation { continuation in
            let hasEnded = self.thread.withLock { phase in
                if case .ended = phase { return true }
                phase = .awaited(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func begin() -> Bool {
        self.thread.withLock { $0 = .running }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let connection = Unmanaged<MQTTConnection>.fromOpaque(context).takeRetainedValue()
                MQTTThread(connection).run()
                connection.threadEnded()
                return nil
            }, context)
        guard result == 0 else {
            Unmanaged<MQTTConnection>.fromOpaque(context).release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func threadEnded() {
        let waiting: CheckedContinuation<Void, Never>? = self.thread.withLock { phase in
            defer { phase = .ended }
            if case .awaited(let continuation) = phase { return continuation }
            return nil
        }
        waiting?.resume()
    }

    // MARK: For the thread

    /// The descriptor that can be read when the mailbox has something.
    var wakeDescriptor: Int32 { self.wake.readEnd }

    /// True if the connection is to end. To be called before the mailbox is emptied.
    func takeWake() -> Bool {
        self.wake.drain()
        return self.mailbox.withLock { mailbox in
            mailbox.isWoken = false
            return mailbox.isStopping
        }
    }

    /// True if more than one message waits.
    var hasMany: Bool { self.mailbox.withLock { $0.ordered.count + $0.retained.count > 1 } }

    /// The next message to send, of those that keep their order.
    func nextOrdered() -> Outgoing? {
        self.mailbox.withLock { mailbox in
            guard let next = mailbox.ordered.popFirst() else { return nil }
            mailbox.orderedBytes -= next.publication.payload.readableBytes
            return next
        }
    }

    /// The next message to send, of those that the broker keeps.
    func nextRetained() -> (topic: String, payload: ByteBuffer)? { self.mailbox.withLock { $0.retained.next() } }

    func acknowledge(_ topic: String) { self.mailbox.withLock { $0.retained.acknowledge(topic) } }

    func open() {
        self.mailbox.withLock { mailbox in
            mailbox.isOpen = true
            mailbox.retained.beginAnew()
        }
    }

    /// Closes the mailbox.
    /// - Returns: what has not been sent.
    func close() -> CircularBuffer<Outgoing> {
        self.mailbox.withLock { mailbox in
            mailbox.isOpen = false
            mailbox.orderedBytes = 0
            defer { mailbox.ordered = [] }
            return mailbox.ordered
        }
    }
}

/// A pipe by which other threads wake the one that waits for a socket.
private final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(MQTTFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system() }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (self.readEnd, self.writeEnd) = (ends[0], ends[1])
    }

    deinit {
        _ = Glibc.close(self.readEnd)
        _ = Glibc.close(self.writeEnd)
    }

    func signal() {
        var byte: UInt8 = 1
        _ = Glibc.write(self.writeEnd, &byte, 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while Glibc.read(self.readEnd, &bytes, 16) == 16 {}
    }
}
