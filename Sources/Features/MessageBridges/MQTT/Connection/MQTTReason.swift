import CMosquitto
import Glibc

/// The reason a broker refused or ended something, or cannot be reached.
enum MQTTReason: Sendable, Hashable, CustomStringConvertible {
    /// A reason code of MQTT 5 (2.4 there), from 0; those from 0x80 are failures.
    case code(Int32)
    /// An error of libmosquitto itself or of the system.
    case library(Int32, errno: Int32)
    case timeout(String)
    /// The broker sent what is no MQTT: the packet and its fault.
    case malformed(String)
    case encryption(String)

    var description: String {
        switch self {
        case .code(let code):
            "\(String(cString: mosquitto_reason_string(code)).lowercased().trimmed) (reason code \(code))"
        case .library(let code, let number) where code == MOSQ_ERR_ERRNO.rawValue && number != 0:
            String(cString: strerror(number)).lowercased()
        case .library(let code, _): String(cString: mosquitto_strerror(code)).lowercased().trimmed
        case .timeout(let what): what
        case .malformed(let what): "the broker sent a malformed packet: \(what)"
        case .encryption(let what): "TLS failed: \(what)"
        }
    }

    /// True if trying again soon is of no use: an operator has to change something, at the gateway or at the broker.
    var isLasting: Bool {
        switch self {
        case .code(let code): Self.lasting.contains(code)
        case .encryption: true
        case .library, .timeout, .malformed: false
        }
    }

    private static let lasting: Set<Int32> = Set(
        [
            MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION, MQTT_RC_CLIENTID_NOT_VALID, MQTT_RC_BAD_USERNAME_OR_PASSWORD,
            MQTT_RC_NOT_AUTHORIZED, MQTT_RC_BANNED, MQTT_RC_BAD_AUTHENTICATION_METHOD, MQTT_RC_SESSION_TAKEN_OVER,
            MQTT_RC_TOPIC_NAME_INVALID, MQTT_RC_USE_ANOTHER_SERVER, MQTT_RC_SERVER_MOVED,
        ].map { Int32($0.rawValue) })

    /// A return code of a CONNACK of MQTT 3.1.1 (3.2.2.3 there) as that of MQTT 5.
    static func connack311(_ code: Int32) -> MQTTReason {
        let codes = [
            1: MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION, 2: MQTT_RC_CLIENTID_NOT_VALID, 3: MQTT_RC_SERVER_UNAVAILABLE,
            4: MQTT_RC_BAD_USERNAME_OR_PASSWORD, 5: MQTT_RC_NOT_AUTHORIZED,
        ]
        return .code(codes[Int(code)].map { Int32($0.rawValue) } ?? code)
    }
}

extension String {
    fileprivate var trimmed: String { self.last == "." ? String(self.dropLast()) : self }
}
