import CastWire
import GatewayCore
import NIOCore

/// What a virtual device stands for, written down.
final class FakeTarget: DeviceTarget {
    enum Call: Equatable {
        case connect(CastMessage, ConnectionID)
        case disconnect(CastMessage, ConnectionID)
        case lost(ConnectionID)
        case receive(CastMessage, ConnectionID)
        case stop
        case prepareForReplacement
        case announce
    }

    var calls: [Call] = []
    var accepted: Set<EndpointID> = [.platformReceiver, "web-1"]
    /// Whether a request is answered with its own payload.
    var echoes = false
    /// Called for each message.
    var onReceive: ((CastMessage) -> Void)?
    private(set) weak var output: (any SenderOutput)?

    func start(output: any SenderOutput) { self.output = output }
    func stop() { self.calls.append(.stop) }
    func prepareForReplacement() { self.calls.append(.prepareForReplacement) }
    func announce() { self.calls.append(.announce) }
    func accepts(_ end: EndpointID) -> Bool { self.accepted.contains(end) }
    func connect(_ message: CastMessage, from connection: ConnectionID) {
        self.calls.append(.connect(message, connection))
    }
    func disconnect(_ message: CastMessage, from connection: ConnectionID) {
        self.calls.append(.disconnect(message, connection))
    }
    func connectionLost(_ connection: ConnectionID) { self.calls.append(.lost(connection)) }
    func receive(_ message: CastMessage, from connection: ConnectionID) {
        self.calls.append(.receive(message, connection))
        self.onReceive?(message)
        if self.echoes { self.output?.send(message.reply(message.payload), to: connection) }
    }
    func session(at transport: EndpointID) -> SessionFacts? { self.sessions.first { $0.transportID == transport } }
    var sessionCount: Int { self.sessions.count }
    var sessions: [SessionFacts] = []
    var media: [EndpointID: JSONObject] = [:]
    func media(at transport: EndpointID) -> JSONObject? { self.media[transport] }
    var isWritable = true
    func flush() {}

    /// The messages that were received, in order.
    var received: [CastMessage] {
        self.calls.compactMap { if case .receive(let message, _) = $0 { message } else { nil } }
    }
}

/// Makes one ``FakeTarget`` for each virtual device.
struct FakeTargetFactory: DeviceTargetFactory {
    var deviceName: String? { nil }
    var apps: [AppID] { [] }
    func eventLoop(in group: any EventLoopGroup) -> any EventLoop { group.next() }
    func makeTarget(for device: DeviceFacts, on eventLoop: any EventLoop) -> any DeviceTarget { FakeTarget() }
    func reconfigure(
        _ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts
    ) -> Bool { true }
}
