public import GatewayConfig

extension IdentityConfiguration {
    /// The keys of `identity`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "root_certificate_file",
            .path,
            .optional,
            "A PEM file with the root certificate of all virtual devices; without it Castway makes its own root",
            example: "/etc/castway/identity/root.crt"
        ),
        ConfigField(
            "root_private_key_file",
            .path,
            .optional,
            "A PEM file with the private key of the root certificate",
            example: "/etc/castway/identity/root.key"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            rootCertificateFile: section.optionalString("root_certificate_file"),
            rootPrivateKeyFile: section.optionalString("root_private_key_file")
        )
    }

    /// Adds what is wrong between the values.
    static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireTogether("root_certificate_file", "root_private_key_file", problems: &problems)
    }
}
