import CastWire
import PluginKit

extension PluginWire {
    /// What the plugin asks for, if it is granted, with the session filled in that it may mean.
    func admitted(_ call: PluginCall) -> Result<PluginCall, PluginRPCError> {
        switch call {
        case .send(var request):
            return self.place(request.device, request.session, request.namespace).map { session in
                request.session = session
                return .send(request)
            }
        case .broadcast(var request):
            return self.place(request.device, request.session, request.namespace).map { session in
                request.session = session
                return .broadcast(request)
            }
        case .emit(let request):
            return self.bounds.allows(event: request.event)
                ? .success(call) : self.notGranted("the event '\(request.event)'")
        case .get, .put, .delete, .list:
            return self.bounds.grant.storage > 0 ? .success(call) : self.notGranted("a store (grant.storage)")
        case .query: return .success(call)
        }
    }

    private func place(
        _ device: String, _ session: String?, _ namespace: Namespace
    ) -> Result<String?, PluginRPCError> {
        guard self.bounds.covers(namespace) else { return self.notGranted("the namespace '\(namespace)'") }
        switch self.bounds.grant.send {
        case .any: return .success(session)
        case .device:
            guard self.heard.contains(device: device) else {
                return self.notGranted("to send to '\(device)', of which it was given no message")
            }
            return .success(session)
        case .sameSession:
            guard let known = self.heard.session(session, on: device) else {
                return self.notGranted("to send to a session on '\(device)' of which it was given no message")
            }
            return .success(known)
        case .none: return self.notGranted("to send (grant.send)")
        }
    }

    private func notGranted<Value>(_ what: String) -> Result<Value, PluginRPCError> {
        self.refuse(what)
        return .failure(PluginRPCError(.notGranted, "not granted: \(what)"))
    }
}
