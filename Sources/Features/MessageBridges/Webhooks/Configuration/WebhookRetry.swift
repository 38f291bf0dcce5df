import GatewayConfig

/// `retry`: when a message that the back end refused is sent again.
package enum WebhookRetry: Sendable, Hashable {
    /// The schedule of Standard Webhooks: ten attempts within more than three days.
    case standard
    /// For back ends on the local network: five attempts within six minutes.
    case short
    /// The pauses as the file has them.
    case pauses([Duration])

    /// The pause before each attempt, the first one too; how many there are is how often a message is sent.
    package var pauses: [Duration] {
        switch self {
        case .standard: [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400].map { .seconds($0) }
        case .short: [0, 2, 10, 60, 300].map { .seconds($0) }
        case .pauses(let pauses): [.zero] + pauses
        }
    }

    /// The time from the first attempt to the last, without what the attempts themselves take.
    var span: Duration { self.pauses.reduce(.zero, +) }
}

extension ConfigType where Value == WebhookRetry {
    /// `standard`, `short`, or a list of pauses.
    static var retry: ConfigType {
        let pauses = ConfigSchema.list(of: .duration(.milliseconds(100) ... .seconds(7 * 86400)))
        return ConfigType(
            .oneOf(.word("standard", "short"), pauses),
            text: { retry in
                switch retry {
                case .standard: "standard"
                case .short: "short"
                case .pauses(let pauses): "[\(pauses.map(\.configText).joined(separator: ", "))]"
                }
            },
            read: { value in
                switch value.string {
                case "standard": return .standard
                case "short": return .short
                default:
                    return value.list.map { list in
                        .pauses(
                            list.compactMap { if case .duration(let pause) = $0.content { pause } else { nil } })
                    }
                }
            })
    }
}
