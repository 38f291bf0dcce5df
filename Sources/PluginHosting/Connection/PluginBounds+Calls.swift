import CastWire
package import PluginKit

extension PluginBounds {
    /// What the plugin asks for, if it is granted, with the session filled in that it may mean.
    /// - Parameter heard: of what the plugin was given messages.
    package func admitted(_ call: PluginCall, heard: HeardPlaces) -> Result<PluginCall, NotGranted> {
        switch call {
        case .send(var request):
            return self.place(request.device, request.session, request.namespace, heard).map { session in
                request.session = session
                return .send(request)
            }
        case .broadcast(var request):
            return self.place(request.device, request.session, request.namespace, heard).map { session in
                request.session = session
                return .broadcast(request)
            }
        case .emit(let request):
            return self.allows(event: request.event)
                ? .success(call) : .failure(NotGranted("the event '\(request.event)'"))
        case .get, .put, .delete, .list:
            return self.allowsStorage ? .success(call) : .failure(NotGranted("a store (grant.storage)"))
        case .query: return .success(call)
        }
    }

    private func place(
        _ device: String, _ session: String?, _ namespace: Namespace, _ heard: HeardPlaces
    ) -> Result<String?, NotGranted> {
        guard self.grant.send != .none else { return .failure(NotGranted("to send (grant.send)")) }
        guard self.covers(namespace) else { return .failure(NotGranted("the namespace '\(namespace)'")) }
        switch self.grant.send {
        case .any, .none: return .success(session)
        case .device:
            guard heard.contains(device: device) else {
                return .failure(NotGranted("to send to '\(device)', of which it was given no message"))
            }
            return .success(session)
        case .sameSession:
            guard let known = heard.session(session, on: device) else {
                return .failure(
                    NotGranted("to send to a session on '\(device)' of which it was given no message"))
            }
            return .success(known)
        }
    }
}
