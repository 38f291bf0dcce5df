public import CastWire
public import GatewayCore
public import Logging
public import NIOEmbedded

/// A router on an event loop whose time stands still, with everything it needs.
public final class RouterBench {
    /// The loop; move its time with `advanceTime(by:)`.
    public let loop = EmbeddedEventLoop()
    /// Where handlers are registered.
    public let registry = HandlerRegistry()
    /// What the router did.
    public let output = RecordingOutput()
    /// The device; its leg is the router's.
    public let device: DeviceFacts
    /// The router.
    public let router: MessageRouter

    /// Sets a router up.
    /// - Parameters:
    ///   - guardian: what judges messages whatever the handlers do; nil for none.
    ///   - events: gets the messages of apps.
    public init(
        _ handlers: [any MessageHandler] = [], guardedBy guardian: (any MessageGuard)? = nil,
        settings: RouterSettings = RouterSettings(), device: DeviceFacts = .test(), events: EventBus = EventBus(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        self.device = device
        self.router = MessageRouter(
            leg: device.leg, registry: self.registry, settings: settings, eventLoop: self.loop, output: self.output,
            events: events, logger: logger)
        try self.registry.replaceAll(with: handlers, guardedBy: guardian)
    }

    /// Routes a message of the sender on this connection, or of the device.
    public func route(
        _ message: CastMessage, connection: UInt64? = 1, direction: MessageDirection = .toReceiver
    ) {
        self.router.route(
            RoutedMessage(
                message, direction: direction, device: self.device,
                connection: connection.map(ConnectionID.init(rawValue:))))
    }

    /// Routes a text.
    public func route(
        _ text: String, in namespace: Namespace = "urn:x-cast:com.example.quiz",
        from source: EndpointID = .platformSender, to destination: EndpointID = .platformReceiver,
        connection: UInt64? = 1, direction: MessageDirection = .toReceiver
    ) {
        self.route(
            .test(text, in: namespace, from: source, to: destination), connection: connection, direction: direction)
    }
}

/// A virtual device's description that says next to nothing.
public struct TestDescription: DeviceDescription {
    /// Makes the description.
    public init() {}

    /// A bare DEVICE_INFO.
    public func deviceInformation(requestID: RequestID) -> JSONObject {
        ["type": "DEVICE_INFO", "requestId": requestID.json]
    }

    /// A bare name.
    public func setupInformation(params: [String]?) -> JSONObject { ["name": "Test device"] }
}

extension DeviceFacts {
    /// A device called `test`, virtual unless the leg is another.
    public static func test(
        name: String = "test", target: String? = nil, leg: MessageLeg = .sender
    ) -> DeviceFacts {
        DeviceFacts(name: name, target: target, description: TestDescription(), leg: leg)
    }
}

extension CastMessage {
    /// A text message for a test.
    /// - Parameter text: the payload, byte for byte.
    public static func test(
        _ text: String, in namespace: Namespace = "urn:x-cast:com.example.quiz",
        from source: EndpointID = .platformSender, to destination: EndpointID = .platformReceiver
    ) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: namespace, payload: .text(text))
    }
}
