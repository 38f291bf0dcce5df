import CMosquitto
import Glibc
import NIOCore

/// One connection of libmosquitto, from its attempt to its end. Everything of it happens on one thread.
///
/// Each connection has a client of its own, so that libmosquitto never sends again by itself what was under way when another
/// connection was lost: the outbox does.
final class MosquittoClient {
    struct Options: Sendable {
        var address: MQTTAddress
        var clientID: String
        var version = MQTTConfiguration.Version.v5
        var username: String?
        var password: String?
        var certificateAuthorityFile: String?
        var certificateFile: String?
        var privateKeyFile: String?
        /// Seconds.
        var keepAlive: Int32 = 30
        var willTopic: String
        /// The payload of the will.
        var will = "offline"
        /// Retains the will; off for brokers that retain nothing.
        var retainsWill = true
        /// The quality of service of the will.
        var willQoS: Int32 = 1
    }

    /// Callbacks of libmosquitto; called within ``read()``, ``write()`` and ``keepAlive()``.
    struct Handlers {
        var accepted: (MQTTReason, MQTTTerms) -> Void
        var subscribed: (_ packet: Int32, _ codes: [Int32]) -> Void
        var published: (_ packet: Int32, MQTTReason) -> Void
        var received: (MQTTInbound) -> Void
    }

    /// The time the broker keeps the session of a gateway that is away, in seconds.
    static let sessionExpiry: UInt32 = 3600
    /// The time the broker waits before it says that the gateway is offline, in seconds: longer than a restart takes.
    static let willDelay: UInt32 = 10
    /// The number of messages the broker may send before the gateway has acknowledged one.
    static let receiveMaximum: UInt16 = 64
    /// The number of messages that are under way to a broker that names no maximum.
    static let sendMaximum = 256
    /// The longest packet that a broker may send, in bytes. One of MQTT 3.1.1 cannot be told, so that a longer message that it keeps for
    /// a topic would end every connection.
    static func maximumPacket(_ version: MQTTConfiguration.Version) -> Int {
        version == .v5 ? MQTTInbound.maximumPayload + (16 << 10) : 1 << 20
    }

    /// The library's own state for the process; begun once, and never ended, since others could use it.
    private static let library: Int32 = mosquitto_lib_init()

    private let client: OpaquePointer
    private let version: MQTTConfiguration.Version
    private let relay: BrokerRelay
    fileprivate let handlers: Handlers
    /// The reason the broker, or libmosquitto, ended the connection.
    fileprivate(set) var endReason: MQTTReason?

    /// Begins to connect, and waits for nothing.
    /// - Parameter loop: runs the connection with the broker.
    /// - Throws: ``MQTTFailure``, when there is nothing to wait for.
    init(_ options: Options, handlers: Handlers, on loop: any EventLoop) throws(MQTTFailure) {
        self.relay = try BrokerRelay(options, on: loop)
        guard Self.library == MOSQ_ERR_SUCCESS.rawValue,
            let client = mosquitto_new(options.clientID, options.version == .v311, nil)
        else { throw MQTTFailure(.library(Int32(MOSQ_ERR_NOMEM.rawValue), errno: 0)) }
        self.client = client
        self.version = options.version
        self.handlers = handlers
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        self.setCallbacks()
        do throws(MQTTFailure) {
            try self.configure(options)
            try self.connect(options)
        } catch {
            mosquitto_destroy(client)
            self.isDestroyed = true
            throw error
        }
    }

    private var isDestroyed = false

    deinit {
        if !self.isDestroyed { mosquitto_destroy(self.client) }
        self.relay.end()
    }

    private func configure(_ options: Options) throws(MQTTFailure) {
        let version = options.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try self.check(mosquitto_int_option(self.client, MOSQ_OPT_PROTOCOL_VERSION, version))
        try self.check(mosquitto_int_option(self.client, MOSQ_OPT_TCP_NODELAY, 1))
        try self.check(mosquitto_int_option(self.client, MOSQ_OPT_SEND_MAXIMUM, Int32(Self.sendMaximum)))
        if let username = options.username {
            try self.check(mosquitto_username_pw_set(self.client, username, options.password))
        }
        var properties = MQTTProperties()
        if options.version == .v5 { try self.check(properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, Self.willDelay)) }
        // libmosquitto takes the properties over, unless it refuses them.
        let result = options.will.withCString { text in
            mosquitto_will_set_v5(
                self.client, options.willTopic, Int32(strlen(text)), text, options.willQoS, options.retainsWill,
                properties.list)
        }
        if result == MOSQ_ERR_SUCCESS.rawValue { properties.forget() }
        properties.free()
        try self.check(result)
    }

    private func connect(_ options: Options) throws(MQTTFailure) {
        let listener = try LoopbackListener()
        if options.version == .v5 {
            var properties = MQTTProperties()
            defer { properties.free() }
            try self.check(properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, Self.sessionExpiry))
            try self.check(properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(Self.maximumPacket(.v5))))
            try self.check(properties.add(MQTT_PROP_RECEIVE_MAXIMUM, short: Self.receiveMaximum))
            // The call that connects without waiting takes no properties; this one keeps them for it, and refuses the port.
            let kept = mosquitto_connect_bind_v5(
                self.client, listener.host, -1, options.keepAlive, nil, properties.list)
            guard kept == MOSQ_ERR_INVAL.rawValue else { try self.check(kept); return }
        }
        try self.check(
            mosquitto_connect_bind_async(
                self.client, listener.host, Int32(listener.port), options.keepAlive, nil))
        self.relay.begin(try listener.accept(from: mosquitto_socket(self.client)))
    }

    private func check(_ result: Int32) throws(MQTTFailure) {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MQTTFailure(.library(result, errno: errno))
    }

    // MARK: The socket

    /// The descriptor to wait for; nil when the connection has ended.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(self.client)
        return descriptor < 0 ? nil : descriptor
    }

    var wantsWrite: Bool { mosquitto_want_write(self.client) }

    func read() { self.settle(mosquitto_loop_read(self.client, 1)) }

    /// Holds back what is written, so that several packets leave in one, until it is let go.
    var isGathering = false {
        didSet {
            guard self.isGathering != oldValue, let descriptor = self.descriptor else { return }
            var value: Int32 = self.isGathering ? 1 : 0
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    func write() { self.settle(mosquitto_loop_write(self.client, 1)) }

    /// Pings the broker when it is time, and finds out that it is silent. To be called once a second.
    func keepAlive() {
        guard self.descriptor != nil else { return }
        self.settle(mosquitto_loop_misc(self.client))
    }

    private func settle(_ result: Int32) {
        guard result != MOSQ_ERR_SUCCESS.rawValue, self.endReason == nil else { return }
        self.endReason = .library(result, errno: errno)
    }

    /// The reason the connection has ended; nil while it has not.
    var end: MQTTReason? {
        guard self.descriptor == nil else { return nil }
        if case .code(let code) = self.endReason { return .code(code) }
        return self.relay.reason ?? self.endReason ?? .library(Int32(MOSQ_ERR_CONN_LOST.rawValue), errno: 0)
    }

    // MARK: Packets

    /// Subscribes to a filter.
    /// - Parameter isLocal: whether what the gateway itself publishes is to come back.
    /// - Returns: the number of the packet; nil when the connection has ended.
    func subscribe(to filter: String, isLocal: Bool = true) -> Int32? {
        var packet: Int32 = 0
        let options = self.version == .v5 && !isLocal ? Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue) : 0
        let result = mosquitto_subscribe_v5(self.client, &packet, filter, 1, options, nil)
        self.settle(result)
        return result == MOSQ_ERR_SUCCESS.rawValue ? packet : nil
    }

    /// Sends a publication.
    /// - Returns: the number of the packet.
    /// - Throws: ``MQTTFailure`` when the publication cannot be sent to this broker, or the connection has ended (``end``).
    func publish(_ publication: MQTTPublication, qos: Int32, isRetained: Bool) throws(MQTTFailure) -> Int32 {
        var packet: Int32 = 0
        var properties = MQTTProperties()
        defer { properties.free() }
        if self.version == .v5 { try self.check(properties.describe(publication)) }
        let result = publication.payload.withUnsafeReadableBytes { bytes in
            mosquitto_publish_v5(
                self.client, &packet, publication.topic, Int32(clamping: bytes.count), bytes.baseAddress, qos,
                isRetained,
                properties.list)
        }
        try self.check(result)
        return packet
    }

    /// Says goodbye: the broker does not publish the will.
    func disconnect() { _ = mosquitto_disconnect_v5(self.client, 0, nil) }

    // MARK: Callbacks

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(self.client) { _, context, code, flags, properties in
            guard let client = MosquittoClient.of(context) else { return }
            let reason = client.version == .v5 ? MQTTReason.code(code) : code == 0 ? .code(0) : .connack311(code)
            if code != 0 { client.endReason = reason }
            client.handlers.accepted(reason, MQTTTerms(properties, isSessionPresent: flags & 1 != 0))
        }
        mosquitto_disconnect_v5_callback_set(self.client) { _, context, code, _ in
            guard let client = MosquittoClient.of(context), client.endReason == nil else { return }
            client.endReason = code >= 0x80 ? .code(code) : .library(code, errno: errno)
        }
        mosquitto_subscribe_v5_callback_set(self.client) { _, context, packet, count, codes, _ in
            guard let client = MosquittoClient.of(context), let codes else { return }
            client.handlers.subscribed(packet, (0..<Int(count)).map { codes[$0] })
        }
        mosquitto_publish_v5_callback_set(self.client) { _, context, packet, code, _ in
            MosquittoClient.of(context)?.handlers.published(packet, .code(code))
        }
        mosquitto_message_v5_callback_set(self.client) { _, context, message, properties in
            guard let client = MosquittoClient.of(context), let message, let inbound = MQTTInbound(message, properties)
            else { return }
            client.handlers.received(inbound)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
        guard let context else { return nil }
        return Unmanaged<MosquittoClient>.fromOpaque(context).takeUnretainedValue()
    }
}

/// A step of a connection that failed.
struct MQTTFailure: Error {
    let reason: MQTTReason

    init(_ reason: MQTTReason) {
        self.reason = reason
    }

    static func system(_ number: Int32 = errno) -> MQTTFailure {
        MQTTFailure(.library(Int32(MOSQ_ERR_ERRNO.rawValue), errno: number))
    }
}
