import CCrypto

/// Owns a list of certificates in the form that libcrypto wants.
struct CertificateStack: ~Copyable {
    private let handle: OpaquePointer

    /// An empty list; `nil` when memory is short.
    init?() {
        guard let handle = castway_x509_stack_new() else { return nil }
        self.handle = handle
    }

    deinit {
        castway_x509_stack_free(self.handle)
    }

    /// Adds a certificate; false when memory is short.
    borrowing func append(_ certificate: borrowing Certificate) -> Bool {
        certificate.withHandle { certificate in
            guard X509_up_ref(certificate) == 1 else { return false }
            guard castway_x509_stack_push(self.handle, certificate) > 0 else {
                X509_free(certificate)
                return false
            }
            return true
        }
    }

    /// Lends the list to `body`.
    borrowing func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }
}
