import CastClient
import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import NIOCore

/// A session that an operation acts on.
enum ControlledSession: Sendable {
    /// One of the gateway's own, with an app on a real device.
    case own(CastSession)
    /// An app that runs on a virtual device.
    case virtual(VirtualControlledDevice, GatewaySnapshot.Session)

    /// The session as it stands.
    func result(in context: GatewayContext) async throws(OperationProblem) -> SessionResult.Source {
        switch self {
        case .own(let session):
            do throws(SessionFailure) {
                return try await SessionResult.Source(session, in: context)
            } catch {
                throw OperationProblem(error)
            }
        case .virtual(let device, let session):
            return SessionResult.Source(session, at: device.now, in: context)
        }
    }
}

/// How a caller names a session: by the gateway's number, by the id that the device gave it, or by the device that it is on.
enum SessionReference: Sendable, Equatable {
    /// What stands before the name of a device.
    private static let devicePrefix = "device:"

    case number(Int)
    case id(String)
    /// The one session that there is on a device.
    case device(DeviceReference)

    /// Reads a text.
    init(_ text: String) {
        if let number = Int(text) {
            self = .number(number)
        } else if text.hasPrefix(Self.devicePrefix) {
            self = .device(DeviceReference(String(text.dropFirst(Self.devicePrefix.count))))
        } else {
            self = .id(text)
        }
    }

    var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .id(let id): id
        case .device(let device): Self.devicePrefix + device.text
        }
    }
}

extension ConfigType where Value == SessionReference {
    /// A number, the id that the device gave a session, or `device:` and the name of a device.
    static var session: ConfigType {
        ConfigType(.oneOf(.integer(1...Int.max), .text(maximumBytes: 200)), text: \.text) {
            switch $0.content {
            case .integer(let number): .number(number)
            case .string(let text): SessionReference(text)
            default: nil
            }
        }
    }
}

extension ConfigKey {
    /// The key `session` of an operation.
    static func session(_ path: ConfigProperty<Root, SessionReference>) -> ConfigKey {
        .required(
            "session", path, .session,
            "The number of a session of the gateway's own, or the id that the device gave the session (the latter for virtual devices); or "
                + "`device:NAME` for the session that there is on a device",
            example: "1")
    }
}
