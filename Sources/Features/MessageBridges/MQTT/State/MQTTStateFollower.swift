import CastWire
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import Synchronization

/// Follows the journal, and keeps at the broker what is published of each device.
final class MQTTStateFollower: Sendable {
    /// Takes the newest values.
    typealias Publish = @Sendable ([(topic: String, payload: ByteBuffer?)]) -> Void

    /// The limit of topics that earlier runs of the gateway may have left, until the first snapshot says what is there.
    private static let maximumFound = 100_000
    /// Frames are taken in portions of this size.
    private static let portion = 256 << 10
    private static let types = [
        "device.*", "virtual_device.*", "receiver.status", "media.status", "media.session_status", "session.*",
    ]

    private struct State {
        var book = MQTTDeviceTable()
        var hasSnapshot = false
        var found: Set<String> = []
    }

    private let topics: MQTTTopics
    private let discovery: HomeAssistantDiscovery?
    /// The place where Home Assistant found devices before, and does not any more.
    private let formerDiscovery: HomeAssistantDiscovery?
    private let caller: Caller
    private let publish: Publish
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - devices: which devices are published; nil for all.
    ///   - formerDiscovery: whose announcements are taken back.
    init(
        topics: MQTTTopics, devices: [DevicePattern]?, discovery: HomeAssistantDiscovery? = nil,
        formerDiscovery: HomeAssistantDiscovery? = nil, logger: Logger, publish: @escaping Publish
    ) {
        self.topics = topics
        self.discovery = discovery
        self.formerDiscovery = formerDiscovery
        self.caller = Caller(name: "mqtt", scopes: [.read], devices: devices)
        self.publish = publish
        self.logger = logger
    }

    /// The reference by which operations find the device of a topic.
    func reference(to device: String) -> String { self.state.withLock { $0.book.reference(to: device) } }

    /// Takes the retained availability of a device that the broker has: one that is not there any more is cleared.
    func found(_ device: String) {
        let isGone = self.state.withLock { state in
            guard state.hasSnapshot else {
                if state.found.count < Self.maximumFound { state.found.insert(device) }
                return false
            }
            return !state.book.has(device)
        }
        if isGone { self.publish(self.cleared(device)) }
    }

    /// Follows until the task is cancelled or the gateway stops.
    func run(_ events: any EventSource) async {
        while !Task.isCancelled {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let topics = EventTopics(Self.types.map { EventTopics.Topic(type: DevicePattern($0)) })
            let feed: any EventFeed
            do throws(OperationProblem) {
                feed = try events.subscribe(to: topics, from: nil, for: self.caller) { wake.yield() }
            } catch {
                self.logger.debug("Devices are not published any more", metadata: ["reason": "\(error)"])
                return
            }
            defer { feed.cancel() }
            self.state.withLock { $0.book.beginSnapshot() }
            wake.yield()
            for await _ in wakes {
                self.takeAll(feed)
                if let end = feed.end {
                    if end.reason == "stopping" { return }
                    break
                }
            }
        }
    }

    private func takeAll(_ feed: any EventFeed) {
        while true {
            let frames = feed.take(upTo: Self.portion)
            guard !frames.isEmpty else { return }
            let documents: [(topic: String, payload: ByteBuffer?)] = self.state.withLock { state in
                for frame in frames {
                    guard let object = (try? JSONReader.read(frame.bytes))?.objectValue else { continue }
                    state.book.receive(object)
                    guard frame.kind == .synced, !state.hasSnapshot else { continue }
                    state.hasSnapshot = true
                    let gone = state.found.filter { !state.book.has($0) }
                    state.found = []
                    self.publish(gone.sorted().flatMap(self.cleared))
                }
                return state.book.takeChanged().flatMap { self.documents(of: $0, in: state.book) }
            }
            if !documents.isEmpty { self.publish(documents) }
        }
    }

    private func documents(of device: String, in book: MQTTDeviceTable) -> [(topic: String, payload: ByteBuffer?)] {
        guard let documents = book.documents(of: device) else { return self.cleared(device) }
        var list: [(topic: String, payload: ByteBuffer?)] = [
            (self.topics.device(device, .info), Self.bytes(documents.info)),
            (self.topics.device(device, .state), Self.bytes(documents.state)),
            (self.topics.device(device, .media), Self.bytes(documents.media)),
            (self.topics.device(device, .availability), ByteBuffer(string: documents.availability)),
        ]
        if let former = self.formerDiscovery { list.append((former.topic(of: device), nil)) }
        if let discovery = self.discovery {
            list.append((discovery.topic(of: device), Self.bytes(discovery.announcement(of: device, documents))))
        }
        return list
    }

    private func cleared(_ device: String) -> [(topic: String, payload: ByteBuffer?)] {
        var list: [(topic: String, payload: ByteBuffer?)] = MQTTTopics.Resource.allCases.map {
            (self.topics.device(device, $0), nil)
        }
        for discovery in [self.discovery, self.formerDiscovery] {
            if let discovery { list.append((discovery.topic(of: device), nil)) }
        }
        return list
    }

    private static func bytes(_ object: JSONObject) -> ByteBuffer {
        var bytes = ByteBuffer()
        JSONWriter.write(.object(object), to: &bytes)
        return bytes
    }
}
