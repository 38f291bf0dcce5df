extension RPCResponse {
    /// Reads the result; one that is not what it should be is the gateway's fault.
    func reading<Value>(
        _ read: (RPCResponse) throws(PluginLineFault) -> Value
    ) throws(PluginRPCError) -> Value {
        do throws(PluginLineFault) {
            return try read(self)
        } catch {
            throw PluginRPCError(.internalError, "the gateway's answer is malformed: \(error.reason)")
        }
    }
}
