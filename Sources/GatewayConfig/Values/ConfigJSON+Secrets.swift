extension ConfigJSON {
    /// The value without what is taken for a secret by its name: ``Secret/isNamed(_:)``.
    public var hidingSecrets: ConfigJSON {
        switch self {
        case .array(let elements): .array(elements.map(\.hidingSecrets))
        case .object(let members):
            .object(
                members.map {
                    Member($0.name, Secret.isNamed($0.name) ? .string(Secret.redacted) : $0.value.hidingSecrets)
                }
            )
        case .null, .boolean, .integer, .number, .string: self
        }
    }
}
