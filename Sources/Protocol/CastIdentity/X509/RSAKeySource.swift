import Synchronization

/// The source of the RSA keys of roots, intermediates and devices of an ``IdentityStore``.
///
/// Outside of this package every key is new. Castway's own tests start hundreds of gateways that need keys and do not look at
/// them; they let the stores of a task share a few, since a new key takes a fifth of a second of a processor.
package struct RSAKeySource: Sendable {
    /// The source of the stores that are opened in this task.
    @TaskLocal package static var current = RSAKeySource.new

    /// Every key is a new one of 2048 bits, which takes a good part of a second on a slow machine.
    package static let new = RSAKeySource { () throws(IdentityError) in try PrivateKey.generate() }

    let next: @Sendable () throws(IdentityError) -> PrivateKey

    /// Gives so many keys of 2048 bits, each made when it is first needed: one after the other, and after the last from the
    /// first again. The identities of stores that need more share keys.
    ///
    /// - Parameter count: 1 or more.
    package static func inTurn(_ count: Int) -> RSAKeySource {
        let ring = KeyRing(count: count)
        return RSAKeySource { () throws(IdentityError) in try ring.next() }
    }
}

/// Keys that are made once and given in turn.
private final class KeyRing: Sendable {
    private struct State {
        var keys: [PrivateKey] = []
        var index = 0
    }

    private let count: Int
    private let state = Mutex(State())

    init(count: Int) {
        self.count = count
    }

    func next() throws(IdentityError) -> PrivateKey {
        try self.state.withLock { state throws(IdentityError) in
            if state.keys.count < self.count {
                let key = try PrivateKey.generate()
                state.keys.append(key)
                return key
            }
            defer { state.index = (state.index + 1) % self.count }
            return state.keys[state.index]
        }
    }
}
