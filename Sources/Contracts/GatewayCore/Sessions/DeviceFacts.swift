public import CastWire
public import HandlerKit

/// What a handler may know of the device that a message passes: a virtual one, or on the leg ``MessageLeg/own`` a real one.
public final class DeviceFacts: Sendable {
    /// The name in `gateway.yaml`; of a real device that is not there its name in the gateway.
    public let name: String
    /// The real device behind it; nil for the built-in receiver.
    public let target: String?
    /// What the device says of itself.
    public let description: any DeviceDescription
    /// Whose connections to the device's apps its messages pass.
    public let leg: MessageLeg

    /// Collects the facts.
    public init(
        name: String, target: String?, description: any DeviceDescription, leg: MessageLeg = .sender
    ) {
        self.name = name
        self.target = target
        self.description = description
        self.leg = leg
    }

    /// By which connection messages of the device come.
    public var via: MessageVia {
        switch self.leg {
        case .own: .own
        case .sender: self.target == nil ? .local : .relay
        }
    }
}

/// By which connection to an app the gateway got a message or a status. Written as the raw value in events.
public enum MessageVia: String, Hashable, Sendable, CaseIterable {
    /// By the gateway's own session with a real device.
    case own
    /// By a virtual device that relays to a real one.
    case relay
    /// By a virtual device that is the built-in receiver.
    case local
}

/// What a virtual device says of itself, whatever stands behind it.
public protocol DeviceDescription: Sendable {
    /// Whether the device shows pictures. The status of a speaker leaves out what only a screen has (protocol notes, 5.2).
    var hasScreen: Bool { get }

    /// The answer to GET_DEVICE_INFO (protocol notes, 5.9).
    func deviceInformation(requestID: RequestID) -> JSONObject

    /// The blocks of `eureka_info` (protocol notes, 5.10).
    /// - Parameter params: the blocks that were asked for; nil means the usual ones.
    func setupInformation(params: [String]?) -> JSONObject
}

extension DeviceDescription {
    /// A device shows pictures unless it says otherwise.
    public var hasScreen: Bool { true }

    /// The answer to `eureka_info` on the Cast channel, where four blocks are given to a request that names none.
    public func setupAnswer(to request: SetupPayload) -> SetupPayload {
        let params = request.data?.array("params")?.compactMap(\.stringValue)
        let data = self.setupInformation(params: params ?? ["version", "name", "device_info", "build_info"])
        return SetupPayload.eurekaInfo(answering: request, data: data)
    }
}

/// A device that says nothing of itself; the way of a message does not depend on it.
public struct SilentDescription: DeviceDescription {
    /// Makes it.
    public init() {}

    /// Nothing.
    public func deviceInformation(requestID: RequestID) -> JSONObject { [:] }

    /// Nothing.
    public func setupInformation(params: [String]?) -> JSONObject { [:] }
}
