public import GatewayConfig

/// `identity`: the root under which virtual devices get their certificates. Both files are given, or neither.
public struct IdentityConfiguration: ConfigSettings {
    /// A PEM file with the root certificate; nil lets Castway make its own root.
    public var rootCertificateFile: String?
    /// A PEM file with the private key of the root certificate.
    public var rootPrivateKeyFile: String?

    /// The keys of `identity`.
    public static let keys: [Key] = [
        .optional(
            "root_certificate_file", \.rootCertificateFile, .path,
            "A PEM file with the root certificate of all virtual devices; without it Castway makes its own root",
            example: "/etc/castway/identity/root.crt"),
        .optional(
            "root_private_key_file", \.rootPrivateKeyFile, .path,
            "A PEM file with the private key of the root certificate", example: "/etc/castway/identity/root.key"),
    ]

    /// Makes a configuration without files: Castway makes its own root.
    public init() {}

    /// Adds one file without the other.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireTogether("root_certificate_file", "root_private_key_file", problems: &problems)
    }
}
