import CCrypto

/// A PEM file of certificates that the operator trusts.
public struct TrustAnchorFile: Sendable, Equatable {
    /// The path as it was given.
    public let path: String

    /// All certificates in the file as DER, at least one. Blocks of other kinds are passed over.
    public let certificates: [[UInt8]]

    /// Reads the file.
    ///
    /// - Parameter path: A file of at most 1 MiB.
    /// - Throws: ``IdentityError/fileMissing(path:)``, ``IdentityError/fileUnreadable(path:reason:)``,
    ///   ``IdentityError/fileHoldsNoPEM(path:)`` or ``IdentityError/trustAnchorUnreadable(path:reason:)``.
    public init(path: String) throws(IdentityError) {
        try self.init(try PEMFile(path: path))
    }

    /// Takes a file that was read already.
    ///
    /// - Throws: ``IdentityError/trustAnchorUnreadable(path:reason:)``.
    public init(_ file: PEMFile) throws(IdentityError) {
        self.path = file.path
        self.certificates = try Self.certificates(in: file)
    }

    private static func certificates(in file: PEMFile) throws(IdentityError) -> [[UInt8]] {
        guard let buffer = MemoryBuffer(file.contents) else { throw .cryptography("read a certificate") }
        var certificates: [[UInt8]] = []
        while let handle = buffer.withHandle({ PEM_read_bio_X509($0, nil, nil, nil) }) {
            let certificate = Certificate(owning: handle)
            certificates.append(try certificate.der())
        }
        // The end of the file is an error of its own kind; any other is a block that cannot be read.
        let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        let reason = OpenSSLErrors.drain()
        guard isAtEnd else { throw .trustAnchorUnreadable(path: file.path, reason: reason) }
        guard !certificates.isEmpty else {
            throw .trustAnchorUnreadable(path: file.path, reason: "it holds no certificate")
        }
        return certificates
    }
}
