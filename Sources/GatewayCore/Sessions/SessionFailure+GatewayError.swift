import CastWire

extension GatewayError {
    /// The failure as every public entry point of the gateway throws it.
    public init(_ failure: SessionFailure) {
        self.init(Code(failure.code), failure.message)
    }
}
