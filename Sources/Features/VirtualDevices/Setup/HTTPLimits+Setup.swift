package import HTTPServing
import NIOCore

extension HTTPLimits {
    /// In bytes. No request of the set-up service needs a body; a short one is accepted.
    private static let maximumSetupBody = 1024

    /// The limits of one connection, as `connections.setup` has them.
    package init(_ limits: SetupLimits) {
        self.init(
            handshakeTimeout: TimeAmount(limits.handshakeTimeout), requestTimeout: TimeAmount(limits.requestTimeout),
            idleTimeout: TimeAmount(limits.idleTimeout), maximumBodyBytes: Self.maximumSetupBody)
    }
}
