import NIOSSL

/// The certificates of a `ca_file`: roots that a bridge trusts beside those of the system, or instead of them.
package struct TrustedRootsFile: Sendable {
    /// The reason a file cannot be used.
    package struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, in words that fit after a path and a colon.
        package let description: String
    }

    let certificates: [NIOSSLCertificate]
    /// The time when the last of the certificates ends, in seconds since 1970.
    package let notAfter: Int64

    /// Reads the contents of a file.
    /// - Throws: ``Unusable`` when it holds no certificate, or one that cannot be read.
    package init(_ pem: [UInt8]) throws(Unusable) {
        do {
            self.certificates = try NIOSSLCertificate.fromPEMBytes(pem)
        } catch {
            throw Unusable(description: "holds no certificates in PEM that can be read")
        }
        guard let last = self.certificates.map({ Int64($0.notValidAfter) }).max() else {
            throw Unusable(description: "holds no certificate")
        }
        self.notAfter = last
    }
}
