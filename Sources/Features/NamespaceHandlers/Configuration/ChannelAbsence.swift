package import GatewayConfig

/// `channels[].when_absent`: what becomes of messages from outside of Cast for an app that does not run.
package enum ChannelAbsence: Sendable, Hashable {
    case drop
    /// They are kept on disk until the app runs, for a time, and so many of a device.
    case keep(Duration, atMost: Int)

    /// The mapping that the file may have for it.
    private struct Keeping: ConfigObject {
        var keep = Duration.zero
        var atMost = 1000

        static let keys: [Key] = [
            .required(
                "keep", \.keep, .duration(.seconds(1) ... .seconds(7 * 86_400)), "For how long they are kept",
                example: "1h"),
            Key("at_most", \.atMost, .integer(1...100_000), "How many are kept of a device; further ones are refused"),
        ]

        init(blank: ConfigBlank) {}
    }

    package static let type = ConfigType<ChannelAbsence>(
        .oneOf(.word("drop"), Keeping.schema),
        text: { absence in
            switch absence {
            case .drop: "drop"
            case .keep(let time, let count): "{keep: \(time.configText), at_most: \(count)}"
            }
        },
        read: { value in
            guard let section = value.section else { return .drop }
            let keeping = Keeping(reading: section)
            return .keep(keeping.keep, atMost: keeping.atMost)
        })
}
