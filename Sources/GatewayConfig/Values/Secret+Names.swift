extension Secret {
    /// The words for secrets, without `_` and `-`.
    private static let words = [
        "password", "passphrase", "token", "secret", "credentials", "authorization", "cookie", "privatekey", "apikey",
    ]

    /// Whether a member of data that others have given a shape is taken for a secret: its name ends in a word for one, such as
    /// `apiToken`, `client_secret` or `PASSWORD`.
    public static func isNamed(_ name: String) -> Bool {
        let bare = name.lowercased().filter { $0 != "_" && $0 != "-" }
        return Self.words.contains(where: bare.hasSuffix)
    }
}
