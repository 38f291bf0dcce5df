import CCrypto

/// The roots that chains may end at.
///
/// `@unchecked Sendable`: nothing is added after `init`, and libcrypto guards the store with its own lock.
final class TrustStore: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Parameter roots: Certificates as DER.
    init(roots: [[UInt8]]) throws(IdentityError) {
        guard let handle = X509_STORE_new() else { throw .cryptography("collect trusted roots") }
        self.handle = handle
        for (index, der) in roots.enumerated() {
            guard let root = Certificate(der: der) else { throw .trustedRootUnreadable(index: index) }
            guard root.withHandle({ X509_STORE_add_cert(handle, $0) }) == 1 else {
                throw .cryptography("collect trusted roots")
            }
        }
    }

    deinit {
        X509_STORE_free(self.handle)
    }

    /// Lends the store to `body`.
    func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }
}
