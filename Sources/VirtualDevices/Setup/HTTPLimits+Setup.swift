package import HTTPServing
import NIOCore

extension HTTPLimits {
    /// In bytes. No request of the set-up service needs a body; a short one is accepted.
    private static let maximumSetupBody = 1024

    /// What one connection may use, as `connections.setup` says.
    package init(_ limits: SetupLimits) {
        self.init(
            handshakeTimeout: TimeAmount(limits.handshakeTimeout), requestTimeout: TimeAmount(limits.requestTimeout),
            idleTimeout: TimeAmount(limits.idleTimeout), maximumBodyBytes: Self.maximumSetupBody)
    }
}
