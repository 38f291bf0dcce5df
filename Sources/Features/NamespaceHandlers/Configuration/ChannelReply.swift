package import GatewayConfig
package import GatewayCore

/// `channels[].reply`: a webhook whose answer is the reply to the sender.
package struct ChannelReply: ConfigObject, Hashable {
    /// The name of a webhook of `bridges.webhooks`.
    package var webhook = ""
    /// The time the sender's further messages wait for the answer.
    package var deadline = Duration.seconds(2)
    /// The treatment of the message when there is no answer.
    package var onFailure = FailurePolicy.closed

    package static let keys: [Key] = [
        .required(
            "webhook", \.webhook, .text(maximumBytes: 64), "The name of one of `bridges.webhooks`", example: "backend"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(10) ... .seconds(60)),
            "How long the answer may take; the sender's later messages wait meanwhile"),
        Key(
            "on_failure", \.onFailure, .word,
            "When there is no answer: `closed` refuses the message, `open` passes it to the app"),
    ]

    package init(blank: ConfigBlank) { self.init(webhook: "") }

    package init(webhook: String, deadline: Duration = .seconds(2), onFailure: FailurePolicy = .closed) {
        self.webhook = webhook
        self.deadline = deadline
        self.onFailure = onFailure
    }
}
