extension ConfigValidator {
    /// The number of bytes the file of a secret may have.
    private static let secretLimit = 65_536

    /// Reads a secret from the file that `KEY_file` names.
    mutating func secretFile(_ entry: ConfigEntry, other: ConfigEntry?, path: String) -> ConfigValue {
        let node = entry.value
        if let other {
            self.secrets.append(other.value.location)
            self.problems.add(
                .secretTwice,
                at: entry.keyLocation,
                "'\(path)' is given as text and as a file",
                hint: "the text is at \(other.keyLocation); keep one of them"
            )
            return self.invalid(node)
        }
        let named = self.value(node, .path, path: "\(path)_file")
        guard let file = named.string else { return self.invalid(node) }
        do throws(ConfigTextError) {
            let secret = try self.secret(inFile: file)
            return ConfigValue(.secret(secret), origin: .secretFile(file, node.location), location: node.location)
        } catch {
            self.problems.add(error.code, at: node.location, "'\(path)_file' \(error.words)", hint: error.hint)
            return self.invalid(node)
        }
    }

    /// Keeps what is named as a secret in data of others' shape out of messages.
    mutating func maskSecrets(in node: ConfigNode) {
        guard !self.isReadingDefaults else { return }
        switch node.content {
        case .mapping(let entries):
            for entry in entries {
                if Secret.isNamed(entry.key) {
                    self.secrets.append(entry.value.location)
                } else {
                    self.maskSecrets(in: entry.value)
                }
            }
        case .sequence(let elements): for element in elements { self.maskSecrets(in: element) }
        case .scalar: break
        }
    }

    /// The remedy for a file that the gateway's user may not read.
    private static func advice(on error: ConfigFileError) -> String? {
        guard case .refused = error else { return nil }
        return
            "the user that runs castway must be able to read it; under systemd: LoadCredential=NAME:FILE in the unit, "
            + "and ${\(CredentialsFolder.variable)}/NAME here"
    }

    private func secret(inFile path: String) throws(ConfigTextError) -> Secret {
        var bytes: [UInt8]
        do throws(ConfigFileError) {
            bytes = try self.fileSystem.read(path, Self.secretLimit)
        } catch {
            throw ConfigTextError(
                .secretUnreadable, "cannot be read: \(path.shown): \(error.reason)", hint: Self.advice(on: error))
        }
        let folder = CredentialsFolder(self.environment)
        if let mode = self.fileSystem.permissions(path), mode & 0o004 != 0,
            folder?.protects(path, in: self.fileSystem) != true
        {
            throw ConfigTextError(
                .secretWorldReadable,
                "names a file that every user can read: \(path.shown)",
                hint: "chmod o-r \(path.shown); under systemd, LoadCredential= hands it over"
            )
        }
        // Some editors write it before a text; no secret begins with it.
        if bytes.starts(with: ConfigSource.byteOrderMark) { bytes.removeFirst(ConfigSource.byteOrderMark.count) }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard !bytes.isEmpty else { throw ConfigTextError(.secretUnreadable, "names an empty file: \(path.shown)") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigTextError(.secretUnreadable, "names a file that is no UTF-8 text: \(path.shown)")
        }
        return Secret(text)
    }
}

/// The folder in which a service manager hands over secrets: `LoadCredential=` of systemd.exec(5).
struct CredentialsFolder {
    static let variable = "CREDENTIALS_DIRECTORY"

    /// Its path, without a slash at the end.
    private let path: String

    /// Finds the folder; nil when the environment names none.
    init?(_ environment: [String: String]) {
        guard let named = environment[Self.variable], named.hasPrefix("/") else { return nil }
        let path = named.drop { $0 == "/" }.split(separator: "/").joined(separator: "/")
        guard !path.isEmpty, !path.split(separator: "/").contains("..") else { return nil }
        self.path = "/" + path
    }

    /// True if a file lies in the folder and other users cannot get into it, whatever the file's own mode says.
    ///
    /// A folder that other users may enter protects nothing; its files are judged by their own modes.
    func protects(_ file: String, in fileSystem: ConfigFileSystem) -> Bool {
        guard file.hasPrefix(self.path + "/") else { return false }
        let rest = file.dropFirst(self.path.utf8.count + 1)
        guard !rest.isEmpty, !rest.split(separator: "/").contains("..") else { return false }
        return fileSystem.permissions(self.path).map { $0 & 0o007 == 0 } ?? false
    }
}
