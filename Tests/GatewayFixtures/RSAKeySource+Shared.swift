package import CastIdentity

extension RSAKeySource {
    /// The keys that gateways of this process share in tests which do not look at keys; enough for a root and two devices.
    package static let shared = RSAKeySource.inTurn(6)
}
