public import CastWire

/// Adds to the loads of Castway's own sessions what the configuration has for them.
public protocol LoadCompletion: Sendable {
    /// Completes a load that is about to be sent; what it has stays.
    /// - Parameter app: the app that loads.
    func complete(_ load: inout LoadRequest, for app: ReceiverApplication)
}
