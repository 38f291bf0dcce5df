/// The folder in which a service manager hands over secrets: `LoadCredential=` of systemd.exec(5).
struct CredentialsFolder {
    /// The variable that names it.
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

    /// Whether a file lies in the folder and other users cannot get into it, whatever the file's own mode says.
    ///
    /// A folder that other users may enter protects nothing; its files are judged by their own modes.
    func protects(_ file: String, in fileSystem: ConfigFileSystem) -> Bool {
        guard file.hasPrefix(self.path + "/") else { return false }
        let rest = file.dropFirst(self.path.utf8.count + 1)
        guard !rest.isEmpty, !rest.split(separator: "/").contains("..") else { return false }
        return fileSystem.permissions(self.path).map { $0 & 0o007 == 0 } ?? false
    }
}
