import CastIdentity

/// A challenge's signature, and whose it is.
struct SignedChallenge: Sendable {
    let signature: [UInt8]
    let identity: DeviceIdentity
}
