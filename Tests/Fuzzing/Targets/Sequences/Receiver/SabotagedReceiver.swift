import CastWire
import GatewayCore

/// Stands between a virtual device and its receiver, and does wrong.
final class SabotagedReceiver: DeviceTarget, SenderOutput {
    private let receiver: any DeviceTarget
    private let sabotage: Sabotage
    private weak var output: (any SenderOutput)?
    private var count = 0
    private var lastConnection: ConnectionID?

    init(_ receiver: any DeviceTarget, _ sabotage: Sabotage) {
        self.receiver = receiver
        self.sabotage = sabotage
    }

    // MARK: From the senders

    func start(output: any SenderOutput) {
        self.output = output
        self.receiver.start(output: self)
    }
    func stop() { self.receiver.stop() }
    func prepareForReplacement() { self.receiver.prepareForReplacement() }
    func announce() { self.receiver.announce() }
    func accepts(_ end: EndpointID) -> Bool { self.receiver.accepts(end) }
    func connect(_ message: CastMessage, from connection: ConnectionID) {
        self.receiver.connect(message, from: connection)
    }
    func disconnect(_ message: CastMessage, from connection: ConnectionID) {
        if self.sabotage != .forgottenClose { self.receiver.disconnect(message, from: connection) }
    }
    func connectionLost(_ connection: ConnectionID) {
        if self.sabotage != .forgottenLoss { self.receiver.connectionLost(connection) }
    }
    func receive(_ message: CastMessage, from connection: ConnectionID) {
        self.receiver.receive(message, from: connection)
    }
    func session(at transport: EndpointID) -> SessionFacts? { self.receiver.session(at: transport) }
    var sessionCount: Int { self.receiver.sessionCount }
    var sessions: [SessionFacts] { self.receiver.sessions }
    var running: RunningApps { self.receiver.running }
    func media(at transport: EndpointID) -> JSONObject? { self.receiver.media(at: transport) }

    // MARK: To the senders

    func send(_ message: CastMessage, to connection: ConnectionID) {
        self.count += 1
        defer { self.lastConnection = connection }
        var message = message
        switch self.sabotage {
        case .silence where self.count % 3 == 0: return
        case .repetition where self.count % 3 == 0: self.output?.send(message, to: connection)
        case .mixUp:
            if let other = self.lastConnection { return self.output?.send(message, to: other) ?? () }
        case .falseSource: message.source = "receiver-1"
        default: break
        }
        self.output?.send(message, to: connection)
    }
    func broadcast(_ message: CastMessage) { self.output?.broadcast(message) }
    func closeVirtualConnections(of transport: EndpointID) { self.output?.closeVirtualConnections(of: transport) }
    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {
        self.output?.closeVirtualConnection(connection, on: channel, message: message)
    }
    func close(_ connection: ConnectionID, reason: String) {
        self.output?.close(connection, reason: reason)
    }

    func emit(_ event: GatewayEvent) { self.output?.emit(event) }
    func flush() {
        self.receiver.flush()
    }
}
