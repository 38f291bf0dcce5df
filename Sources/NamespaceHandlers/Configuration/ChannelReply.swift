public import GatewayConfig
public import GatewayCore

/// `channels[].reply`: a webhook whose answer is the reply to the sender.
public struct ChannelReply: ConfigObject, Hashable {
    /// The name of a webhook of `bridges.webhooks`.
    public var webhook = ""
    /// How long the sender's further messages wait for the answer.
    public var deadline = Duration.seconds(2)
    /// What becomes of the message when there is no answer.
    public var onFailure = FailurePolicy.closed

    /// The keys of `channels[].reply`.
    public static let keys: [Key] = [
        .required(
            "webhook", \.webhook, .text(maximumBytes: 64), "The name of one of `bridges.webhooks`", example: "backend"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(10) ... .seconds(60)),
            "How long the answer may take; the sender's later messages wait meanwhile"),
        Key(
            "on_failure", \.onFailure, .word,
            "When there is no answer: `closed` refuses the message, `open` passes it to the app"),
    ]

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(webhook: "") }

    /// Names a webhook.
    public init(webhook: String, deadline: Duration = .seconds(2), onFailure: FailurePolicy = .closed) {
        self.webhook = webhook
        self.deadline = deadline
        self.onFailure = onFailure
    }
}
