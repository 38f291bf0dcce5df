import CMosquitto
import Glibc
import HTTPFetching
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The way between libmosquitto and its broker: what the broker sends is inspected here, packet by packet, before the library reads it.
///
/// The library has no hook for what it reads, and keeps its socket to itself. So it connects to a port of this machine that only it is
/// taken from, without TLS; the relay connects to the broker, speaks TLS there, and hands on what ``MQTTInspector`` lets through. A packet
/// that it refuses ends the connection. Neither side is read while the other does not take what came.
final class BrokerRelay: Sendable {
    /// The time the last bytes may take when one side has ended.
    private static let farewell = TimeAmount.seconds(2)
    private static let connectTimeout = TimeAmount.seconds(20)

    private struct State {
        var reason: MQTTReason?
        var hasEnded = false
        var broker: (any Channel)?
    }

    private let state = Mutex(State())
    private let options: MosquittoClient.Options
    private let encryption: NIOSSLContext?
    private let loop: any EventLoop

    /// Prepares a relay; nothing is connected yet.
    /// - Throws: ``MQTTFailure`` for certificates and keys that cannot be read.
    init(_ options: MosquittoClient.Options, on loop: any EventLoop) throws(MQTTFailure) {
        self.options = options
        self.loop = loop
        self.encryption = options.address.isEncrypted ? try Self.encryption(options) : nil
    }

    private static func encryption(_ options: MosquittoClient.Options) throws(MQTTFailure) -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        do {
            if let file = options.certificateAuthorityFile {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            }
            if let file = options.certificateFile {
                tls.certificateChain = try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) }
            }
            if let file = options.privateKeyFile {
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: file, format: .pem))
            }
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw MQTTFailure(.encryption("its certificates or its key cannot be used: \(HTTPErrorText.words(error))"))
        }
    }

    /// Connects with the broker, and hands bytes on until one of the two sides ends, or ``end()``.
    /// - Parameter socket: what libmosquitto's own socket is connected with; it is the relay's from now on.
    func begin(_ socket: Int32) {
        let (version, address, encryption) = (self.options.version, self.options.address, self.encryption)
        let inspector = MQTTInspector(version, maximumPacket: MosquittoClient.maximumPacket(version))
        // A certificate for an address is judged by the address of the connection.
        let name = (try? SocketAddress(ipAddress: address.host, port: 0)) == nil ? address.host : nil
        let connection = ClientBootstrap(group: self.loop)
            .connectTimeout(Self.connectTimeout)
            .resolver(OwnedResolver(owner: "MQTT broker", on: self.loop))
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let encryption else { return }
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: encryption, serverHostname: name))
                }
            }
        connection.connect(host: address.host, port: address.port).whenComplete { result in
            switch result {
            case .failure(let error):
                self.fail(error)
                Glibc.close(socket)
            case .success(let broker):
                let hasEnded = self.state.withLock { state in
                    state.broker = broker
                    return state.hasEnded
                }
                if hasEnded { broker.close(promise: nil) }
                self.join(broker, inspector, socket)
            }
        }
    }

    private func join(_ broker: any Channel, _ inspector: MQTTInspector, _ socket: Int32) {
        ClientBootstrap(group: broker.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelInitializer { library in
                library.eventLoop.makeCompletedFuture {
                    let (one, other) = RelayedSide.pair(inspector) { self.fail($0) }
                    try broker.pipeline.syncOperations.addHandler(one)
                    try library.pipeline.syncOperations.addHandler(other)
                }
            }
            .withConnectedSocket(socket)
            .whenFailure { error in
                self.fail(error)
                broker.close(promise: nil)
            }
    }

    private func fail(_ error: any Error) {
        let reason = Self.reason(for: error)
        self.state.withLock { $0.reason = $0.reason ?? reason }
    }

    /// The reason the connection with the broker failed or ended; nil when it has not, and when the broker merely
    /// closed it.
    var reason: MQTTReason? { self.state.withLock { $0.reason } }

    /// Ends the connection with the broker, when what libmosquitto wrote last has had its time.
    func end() {
        let broker = self.state.withLock { state in
            state.hasEnded = true
            return state.broker
        }
        guard let broker else { return }
        broker.eventLoop.scheduleTask(in: Self.farewell) { broker.close(promise: nil) }
    }

    private static func reason(for error: any Error) -> MQTTReason? {
        switch error {
        case let error as MQTTMalformed: .malformed("\(error)")
        case let error as IOError: .library(Int32(MOSQ_ERR_ERRNO.rawValue), errno: error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.last.flatMap { Self.reason(for: $0.error) }
                ?? .library(Int32(MOSQ_ERR_EAI.rawValue), errno: 0)
        case ChannelError.connectTimeout: .timeout("the broker does not answer")
        case NIOSSLError.uncleanShutdown: nil
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .encryption(Self.words(error))
        default: nil
        }
    }

    /// An error of TLS for people: the alert of the broker where it is one, such as that it wants a certificate.
    private static func words(_ error: any Error) -> String {
        guard let alert = "\(error)".firstMatch(of: #/ALERT_([A-Z_]+)/#)?.1 else { return HTTPErrorText.words(error) }
        return "the broker refuses the connection: \(alert.lowercased().replacing("_", with: " "))"
    }
}

/// One of the two channels of a relay. It is read only while the other one takes what comes.
private final class RelayedSide: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var inspector: MQTTInspector?
    private let fail: (any Error) -> Void
    private var other: RelayedSide?
    private var context: ChannelHandlerContext?
    /// The bytes of a packet that is not whole yet.
    private var bytes = ByteBuffer()
    private var wantsRead = false

    private init(_ inspector: MQTTInspector?, _ fail: @escaping (any Error) -> Void) {
        self.inspector = inspector
        self.fail = fail
    }

    /// Makes the handlers of the broker's side and the library's.
    static func pair(
        _ inspector: MQTTInspector, fail: @escaping (any Error) -> Void
    ) -> (broker: RelayedSide, library: RelayedSide) {
        let (broker, library) = (RelayedSide(inspector, fail), RelayedSide(nil) { _ in })
        (broker.other, library.other) = (library, broker)
        return (broker, library)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.other = nil
    }

    /// Becomes active: the library's side does so last.
    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard let other = self.other, other.context?.channel.isActive == true else {
            return context.close(promise: nil)
        }
        self.read()
        other.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let taker = self.other?.context else { return }
        var piece = self.unwrapInboundIn(data)
        guard self.inspector != nil else {
            taker.write(self.wrapOutboundOut(piece), promise: nil)
            return
        }
        self.bytes.writeBuffer(&piece)
        do throws(MQTTMalformed) {
            while let packet = try self.inspector?.next(from: &self.bytes) {
                taker.write(self.wrapOutboundOut(packet), promise: nil)
            }
        } catch {
            self.errorCaught(context: context, error: error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.other?.context?.flush()
        self.read()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let other = self.other, other.wantsRead { other.read() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.other?.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(error)
        self.bytes = ByteBuffer()
        self.other?.close()
        self.other = nil
        context.close(promise: nil)
    }

    private func read() {
        self.wantsRead = self.other?.context?.channel.isWritable != true
        if !self.wantsRead { self.context?.read() }
    }

    /// Ends the channel behind what is written to it.
    private func close() {
        guard let channel = self.context?.channel else { return }
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    }
}
