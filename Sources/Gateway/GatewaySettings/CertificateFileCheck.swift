import CastIdentity
import CastTransport
import DeviceSessions
import GatewayConfig
import GatewayOperations

/// Reads the certificates and keys that a configuration names, as the start does, and finds those that it would refuse.
struct CertificateFileCheck {
    let fileSystem: ConfigFileSystem
    /// Seconds since 1970.
    let now: Int64

    /// Adds every file that cannot be used, and a root that cannot sign what Castway would have it sign.
    func check(_ root: ConfigSection, _ problems: inout ConfigProblems) {
        self.checkRoot(root.section("identity"), &problems)
        self.checkAPI(root.section("api").section("tls"), &problems)
        self.checkBridges(root.section("bridges"), &problems)
        let connections = root.section("connections")
        guard connections.isValid("verify_device_certificate"), connections.isValid("trust_anchors"),
            ConnectionsConfiguration(reading: connections).readsAnchors
        else { return }
        for key in ["trust_anchors", "revocation_anchors"] {
            for element in connections.list(key) {
                guard let path = element.string else { continue }
                do throws(IdentityError) {
                    _ = try TrustAnchorFile(try self.read(path))
                } catch {
                    Self.add(error, connections.path(key), element.location, &problems)
                }
            }
        }
    }

    private func checkRoot(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        // One without the other is a problem of its own.
        guard section.has("root_certificate_file"), section.has("root_private_key_file") else { return }
        let files = ["root_certificate_file", "root_private_key_file"].map { self.file($0, section, &problems) }
        guard let certificate = files[0], let key = files[1] else { return }
        do throws(IdentityError) {
            try RootSource.pem(certificate: certificate.contents, privateKey: key.contents).check(now: self.now)
        } catch {
            let isOfKey =
                switch error {
                case .rootKeyUnreadable, .rootKeyEncrypted, .rootKeyNotRSA, .rootKeyTooSmall, .rootKeyMismatch: true
                default: false
                }
            let name = isOfKey ? "root_private_key_file" : "root_certificate_file"
            Self.add(error, section.path(name), section.location(name), &problems)
        }
    }

    /// Reads what TLS of the API is to serve, as the start does.
    private func checkAPI(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        guard section.isValid("certificate_file"), section.isValid("private_key_file") else { return }
        let files = ["certificate_file", "private_key_file"].map { self.file($0, section, &problems) }
        let path = section.string("private_key_file")
        if files[1] != nil, let mode = self.fileSystem.permissions(path), mode & 0o004 != 0 {
            problems.add(
                .secretWorldReadable, at: section.location("private_key_file"),
                "'\(section.path("private_key_file"))' names a file that every user can read: \(path)",
                hint: "chmod o-r \(path)")
        }
        guard let certificate = files[0], let key = files[1] else { return }
        do {
            let context = try TLSServerContext(pemChain: certificate.contents, privateKey: key.contents)
            guard context.notAfter <= self.now else { return }
            problems.add(
                .unusableFile, at: section.location("certificate_file"),
                "'\(section.path("certificate_file"))' ended at \(UTCTime(seconds: context.notAfter)), so callers refuse it",
                hint: "put a new certificate there, and reload", severity: .warning)
        } catch {
            problems.add(
                .unusableFile, at: section.location("certificate_file"),
                "'\(section.path("certificate_file"))' and 'private_key_file' cannot be used together: malformed, encrypted, or not of each other"
            )
        }
    }

    func file(_ key: String, _ section: ConfigSection, _ problems: inout ConfigProblems) -> PEMFile? {
        guard let path = section.optionalString(key) else { return nil }
        do throws(IdentityError) {
            return try self.read(path)
        } catch {
            Self.add(error, section.path(key), section.location(key), &problems)
            return nil
        }
    }

    private func read(_ path: String) throws(IdentityError) -> PEMFile {
        let contents: [UInt8]
        do throws(ConfigFileError) {
            contents = try self.fileSystem.read(path, PEMFile.maximumLength)
        } catch {
            throw error == .notFound ? .fileMissing(path: path) : .fileUnreadable(path: path, reason: error.reason)
        }
        return try PEMFile(path: path, contents: contents)
    }

    private static func add(
        _ error: IdentityError, _ key: String, _ location: ConfigLocation, _ problems: inout ConfigProblems
    ) {
        problems.add(.unusableFile, at: location, "'\(key)' cannot be used: \(error.description)")
    }
}
