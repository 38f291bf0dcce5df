extension ConfigDocument {
    /// The configuration as it is in effect, defaults filled in and secrets redacted, as JSON.
    public var effectiveJSON: ConfigJSON { Self.json(self.root) }

    private static func json(_ section: ConfigSection) -> ConfigJSON {
        .object(
            section.entries.filter(\.value.isValid).map { .init($0.field.name, self.json($0.value)) })
    }

    private static func json(_ value: ConfigValue) -> ConfigJSON {
        switch value.content {
        case .string(let text): .string(text)
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .duration(let value): .string(value.configText)
        case .size(let value): .string(ByteSize.text(value))
        case .listenAddress(let address): .string(address.description)
        case .dialAddress(let address): .string(address.description)
        case .addressRange(let range): .string(range.description)
        case .secret: .string(Secret.redacted)
        case .json(let value): value.hidingSecrets
        case .list(let elements): .array(elements.map(self.json))
        case .section(let section): self.json(section)
        case .map(let entries): .object(entries.map { .init($0.key, self.json($0.value)) })
        case .invalid: .null
        }
    }
}
