import CastWire
import GatewayConfig
import PluginKit

extension GatewayLine {
    /// The line for whoever reads along, when it holds a configuration: what is named as a secret is hidden. Nil for all others.
    var hidingSecrets: GatewayLine? {
        switch self {
        case .initialize(let id, var request):
            request.config = request.config.hidingSecrets
            return .initialize(id, request)
        case .reload(let id, var request):
            request.config = request.config.hidingSecrets
            return .reload(id, request)
        default: return nil
        }
    }
}

extension JSONObject {
    fileprivate var hidingSecrets: JSONObject {
        JSONObject(
            self.members.map { name, value in
                (name, Secret.isNamed(name) ? .string(Secret.redacted) : value.hidingSecrets)
            })
    }
}

extension JSONValue {
    fileprivate var hidingSecrets: JSONValue {
        switch self {
        case .object(let object): .object(object.hidingSecrets)
        case .array(let elements): .array(elements.map(\.hidingSecrets))
        default: self
        }
    }
}
