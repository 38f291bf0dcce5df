import CastIdentity
import DeviceSessions
import GatewayConfig

/// Reads the certificates and keys that a configuration names, as the start does, and finds those that it would refuse.
struct CertificateFileCheck {
    let fileSystem: ConfigFileSystem
    /// Seconds since 1970.
    let now: Int64

    /// Adds every file that cannot be used, and a root that cannot sign what Castway would have it sign.
    func check(_ root: ConfigSection, _ problems: inout ConfigProblems) {
        self.checkRoot(root.section("identity"), &problems)
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

    private func file(_ key: String, _ section: ConfigSection, _ problems: inout ConfigProblems) -> PEMFile? {
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
