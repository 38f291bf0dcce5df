import PluginKit

extension PluginWire {
    /// What the plugin asks for, if it is granted, with the session filled in that it may mean.
    func admitted(_ call: PluginCall) -> Result<PluginCall, PluginRPCError> {
        self.bounds.admitted(call, heard: self.heard).mapError { refusal in
            self.refuse(refusal.what)
            return refusal.error
        }
    }
}
