import CastWire
import PluginHosting
import PluginKit

/// What the gateway would refuse; judged by the gateway's own ``PluginBounds``.
extension PluginBench {
    /// The error with which the gateway would answer a request of the plugin's; nil when it would do what is asked.
    func refusal(of name: String, _ params: JSONObject) -> PluginRPCError? {
        let unknown = PluginRPCError(.methodNotFound, "there is no method '\(name)'")
        guard let method = PluginMethod(rawValue: name) else { return unknown }
        do throws(PluginWireError) {
            guard let call = try PluginCall(method, ObjectReader(params, at: "params")) else { return unknown }
            switch self.bounds.admitted(call, heard: self.heard) {
            case .success(.put(let key, let value)): return self.storeError(key, value)
            case .success: return nil
            case .failure(let refusal):
                self.refusals.append(refusal)
                return refusal.error
            }
        } catch {
            return PluginRPCError(.invalidParameters, error.description)
        }
    }

    /// Takes out what the plugin wanted and its grant does not cover, since this was called last.
    func takeRefusals() -> [NotGranted] {
        defer { self.refusals = [] }
        return self.refusals
    }

    /// Carries out what a verdict stores, and notes the effects that the gateway would refuse.
    /// - Parameter id: the request that the verdict answers, or the message that it completes.
    func carryOut(effectsOf verdict: JSONObject, about id: JSONValue) {
        let reader = ObjectReader(verdict, at: "result")
        guard verdict["effects"] != nil, let effects: [Effect] = try? reader.list("effects") else { return }
        let message = self.asked[id.text]
        let namespace = Namespace(rawValue: message?.string("namespace") ?? "")
        let answersAll = message?.string("direction") == "to_sender" && message?.string("destination") == "*"
        for effect in effects {
            if let refusal = self.bounds.refusal(of: effect, in: namespace, answersAll: answersAll) {
                self.refusals.append(refusal)
                continue
            }
            switch effect {
            case .put(let key, let value):
                if let error = self.storeError(key, value) {
                    self.asides.append("log warning: An effect failed: \(error)")
                } else {
                    self.keep(key, value)
                }
            case .delete(let key): self.keep(key, nil)
            default: break
            }
        }
    }

    /// Why the gateway would not keep a value; nil when it would.
    private func storeError(_ key: String, _ value: JSONValue) -> PluginRPCError? {
        guard (1...PluginStore.maximumKeyLength).contains(key.utf8.count) else {
            return PluginRPCError(.invalidParameters, "a key has 1 to \(PluginStore.maximumKeyLength) bytes")
        }
        let others = self.store.filter { $0.key != key }
        let length = others.reduce(PluginStore.length(of: key, value.text)) {
            $0 + PluginStore.length(of: $1.key, $1.value.text)
        }
        let quota = self.bounds.grant.storage
        return length <= quota
            ? nil : PluginRPCError(.tooLarge, "the store is full: grant.storage is \(quota) bytes")
    }
}
