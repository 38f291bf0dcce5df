import CastwayTestSupport
import Foundation
import NIOSSL

/// A certificate for one name, which is its own root.
struct TestCertificate {
    /// The command failed.
    struct Failed: Error {}

    let folder: TemporaryFolder

    /// Makes a certificate with `openssl`.
    /// - Parameter name: what stands behind `subjectAltName`, such as `DNS:backend.test`.
    init(for name: String) throws {
        self.folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=backend", "-addext", "subjectAltName=\(name)",
            "-keyout", self.folder.file("key.pem"), "-out", self.rootsFile,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }

    /// What a client has to trust.
    var rootsFile: String { self.folder.file("cert.pem") }

    /// What a server serves.
    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(self.rootsFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: self.folder.file("key.pem"), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }
}
