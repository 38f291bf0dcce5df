import CastClient
import CastWire
import DeviceSessions
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

    /// The session as operations tell of it.
    func json(in context: GatewayContext) async throws(OperationProblem) -> JSONObject {
        switch self {
        case .own(let session):
            do throws(SessionFailure) {
                return try await SessionResult.json(session, in: context)
            } catch {
                throw OperationProblem(error)
            }
        case .virtual(let device, let session):
            return SessionResult.json(session, media: MediaSnapshot(session, at: device.now), in: context)
        }
    }
}

/// How a caller names a session: by the gateway's number, or by the id that the device gave it.
enum SessionReference: Sendable, Equatable {
    case number(Int)
    case id(String)

    var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .id(let id): id
        }
    }
}

extension ConfigType where Value == SessionReference {
    /// A number, or the id that the device gave a session.
    static var session: ConfigType {
        ConfigType(.oneOf(.integer(1...Int.max), .text(maximumBytes: 200)), text: \.text) {
            switch $0.content {
            case .integer(let number): .number(number)
            case .string(let id): Int(id).map { .number($0) } ?? .id(id)
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
            "The number of a session of the gateway's own, or the id that the device gave the session; the latter for virtual devices",
            example: "1")
    }
}

/// What operations say of a session.
enum SessionResult {
    static let members: [OperationResult.Member] = [
        .optional("id", .integer, "Its number; missing on virtual devices"),
        .init("device", .text, "The device"),
        .init("kind", .word(DeviceReference.Kind.allCases.map(\.rawValue)), "Whether the device is real or virtual"),
        .init("app", .text, "The id of the app"),
        .init("state", .text, "How it is"),
        .optional("since", .integer, "Since when it is there, in this run of the gateway, in seconds since 1970"),
        .optional("suspend_reason", .text, "Why it is suspended"),
        .optional("session_id", .text, "The device's id of the session"),
        .optional("transport_id", .text, "The app's end of virtual connections"),
        .optional("display_name", .text, "The app's name"),
        .optional("media", .object(AppDescription.media), "What plays"),
    ]

    /// How a session of the gateway's own stands, with what it plays.
    static func json(_ session: CastSession, in context: GatewayContext) async throws(SessionFailure) -> JSONObject {
        let facts = try await session.facts
        var json: JSONObject = [
            "id": .number(facts.number), "device": .string(facts.device),
            "kind": .string(DeviceReference.Kind.real.rawValue), "app": .string(facts.appID.rawValue),
            "state": .string(facts.state.rawValue),
        ]
        if facts.suspendReason != .none { json["suspend_reason"] = .string(facts.suspendReason.name) }
        if let sessionID = facts.sessionID { json["session_id"] = .string(sessionID) }
        if let transportID = facts.transportID { json["transport_id"] = .string(transportID.rawValue) }
        if let name = facts.app?.displayName { json["display_name"] = .string(name) }
        let times = try await session.times
        if let started = times.started { json["since"] = context.time(of: started) }
        if let status = session.media.snapshot.status, session.media.snapshot.mediaSessionID != nil {
            json["media"] = .object(AppDescription.json(status.json, times, in: context))
        }
        return json
    }

    /// How a session on a virtual device stands.
    static func json(_ session: GatewaySnapshot.Session, media: MediaSnapshot, in context: GatewayContext) -> JSONObject
    {
        var json: JSONObject = [
            "device": .string(session.device), "kind": .string(DeviceReference.Kind.virtual.rawValue),
            "app": .string(session.app.appID.rawValue),
            "state": .string(SessionConnectionState.connected.rawValue),
            "session_id": .string(session.app.sessionID),
            "transport_id": .string(session.app.transportID.rawValue),
            "display_name": .string(session.app.displayName),
        ]
        if let status = media.status, media.mediaSessionID != nil {
            var times = AppTimes()
            times.position = media.position(at: .now())
            json["media"] = .object(AppDescription.json(status.json, times, in: context))
        }
        return json
    }
}
