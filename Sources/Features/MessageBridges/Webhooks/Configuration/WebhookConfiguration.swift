package import GatewayConfig
import GatewayOperations
import HTTPFetching

/// `bridges.webhooks[]`: a back end that gets messages and events by HTTP.
package struct WebhookConfiguration: ConfigObject, Hashable {
    /// The dependence between messages of one device.
    package enum Order: String, Sendable, CaseIterable {
        /// Messages of one device arrive in order.
        case device
        /// Messages arrive as they come.
        case none
    }

    package var name = ""
    package var url = ""
    /// The signing secret: one of Standard Webhooks, or two with white space between them.
    package var secret = Secret("")
    /// The events that are sent, beside what channels send.
    package var events: [String] = []
    /// The dependence between messages of one device.
    package var order = Order.device
    /// Lets a message that is refused hold back its device until it is dead.
    package var isStrict = false
    /// The number of messages that are under way at once.
    package var concurrency = 8
    /// The time an attempt may take, look-up and answer included.
    package var timeout = Duration.seconds(15)
    package var retry = WebhookRetry.standard
    /// The bounds of what waits.
    package var queue = OutboxBounds(age: .seconds(7 * 86400))
    /// The bounds of what was given up.
    package var deadLetters = OutboxBounds()
    /// Allows a back end in a local network or on this machine.
    package var allowsPrivate = false
    /// Allows a back end without TLS.
    package var allowsPlaintext = false
    /// A PEM file with roots that are trusted beside those of the system.
    package var rootsFile: String?

    package static let keys: [Key] = [
        .required(
            "name", \.name, .text(allowed: "a-z0-9_-", length: 1...32),
            "The name by which channels mean the webhook, and which logs and metrics show", example: "backend"),
        .required(
            "url", \.url, .text(maximumBytes: 4096),
            "Where messages are sent, by POST. The name is looked up again at most once a minute; redirects are not followed. In the path and in the "
                + "query `{device}`, `{namespace}`, `{channel}` (the namespace without `urn:x-cast:`), `{app}` and `{type}` stand for those of "
                + "each message or event, percent-encoded, and for `-` where it has none",
            example: "https://backend.example.com/cast"),
        .required(
            "secret", \.secret, .secret,
            "What signs, by Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes, which "
                + "`echo whsec_$(openssl rand -base64 32)` makes. While the back end changes from one to another there are two, the new one "
                + "first, with a space or a line's end between them, and each signs",
            example: "${CREDENTIALS_DIRECTORY}/castway_backend"),
        Key(
            "events", \.events, .list(of: .text(allowed: "a-zA-Z0-9_.*", length: 1...64)),
            "The types of the events that are sent, with `*` for any number of characters, beside what channels send",
            example: "[\"session.*\", media.session_ended]"),
        Key(
            "order", \.order, .word,
            "Whether messages of one `device` arrive in order, one after the other, or `none` waits for another. A message that is "
                + "refused holds back its device for 30 seconds"),
        Key(
            "strict_order", \.isStrict, .boolean,
            "Whether a message that is refused holds back its device until it arrives or is given up"),
        Key("concurrency", \.concurrency, .integer(1...256), "How many messages are under way at once"),
        Key(
            "timeout", \.timeout, .duration(.milliseconds(100) ... .seconds(120)),
            "How long an attempt may take, from the look-up of the name to the end of the answer"),
        Key(
            "retry", \.retry, .retry,
            "When a message that was refused is sent again: `standard` within three days, `short` within six minutes, or a list of "
                + "pauses. After the last attempt it is a dead letter",
            example: "[2s, 10s, 1m]"),
        Key("queue", \.queue, .object, "How much waits for the back end; what is beyond is lost, counted and said"),
        Key("dead_letters", \.deadLetters, .object, "How much is kept of what was given up, to be sent again by hand"),
        Key(
            "allow_private", \.allowsPrivate, .boolean,
            "Whether the back end may have an address of a local network or of this machine. Link-local and metadata addresses are always "
                + "refused"),
        Key(
            "allow_http", \.allowsPlaintext, .boolean,
            "Whether the URL may be `http://`, so that messages can be read on the way"),
        .optional(
            "ca_file", \.rootsFile, .path,
            "A PEM file with certificates that are trusted beside the system's, for a back end with a certificate of one's own",
            example: "/etc/castway/backend-ca.pem"),
    ]

    package init(blank: ConfigBlank) {}

    /// A webhook, for tests and programs.
    /// - Parameter change: sets what is not as in `gateway.yaml`.
    package init(name: String, url: String, secret: Secret, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.url = url
        self.secret = secret
        change(&self)
    }

    /// Equal in all that `gateway.yaml` says.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

    var deliveryOrder: DeliveryOrder {
        switch self.order {
        case .device: .device(concurrency: self.concurrency, isStrict: self.isStrict)
        case .none: .none(concurrency: self.concurrency)
        }
    }

    /// True if events of a type are sent.
    func wants(event type: String) -> Bool {
        self.events.contains { DevicePattern($0).matches(type) }
    }

    // MARK: Checks

    /// Adds what is wrong with one webhook: a URL that may not be, a secret that is none, and values that do not go together.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        self.checkURL(section, problems: &problems)
        self.checkSecret(section, problems: &problems)
        if section.boolean("strict_order"), section.optionalString("order") == Order.none.rawValue {
            problems.add(
                .inconsistent, at: section.location("strict_order"),
                "'\(section.path("strict_order"))' needs 'order: device'",
                hint: "without an order nothing is held back")
        }
        self.checkRetry(section, problems: &problems)
    }

    private static func checkURL(_ section: ConfigSection, problems: inout ConfigProblems) {
        let url = OutboundURL.check(
            section, risk: "messages could be read", remedy: "something else encrypts", problems: &problems
        ) { text throws(OutboundURL.Malformed) in try WebhookURLTemplate(text).url }
        if let url, !url.isEncrypted, section.has("ca_file") {
            problems.add(
                .inconsistent, at: section.location("ca_file"),
                "'\(section.path("ca_file"))' has no effect without TLS", hint: "use https:// in 'url'")
        }
    }

    private static func checkSecret(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("secret") else { return }
        do throws(WebhookSecret.Malformed) {
            _ = try WebhookSecret.all(in: section.secret("secret"))
        } catch {
            problems.add(
                .malformedValue, at: section.location("secret"), "'\(section.path("secret"))' \(error)",
                hint: "echo whsec_$(openssl rand -base64 32) makes one")
        }
    }

    private static func checkRetry(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("retry") else { return }
        let pauses = section.list("retry")
        if section.value("retry")?.list != nil, !(1...20).contains(pauses.count) {
            problems.add(
                .outOfRange, at: section.location("retry"),
                "'\(section.path("retry"))' must have 1 to 20 pauses, not \(pauses.count)",
                hint: "[2s, 10s, 1m] sends four times")
            return
        }
        let webhook = Self(reading: section)
        let (span, age) = (webhook.retry.span, webhook.queue.age)
        guard section.isWritten("retry") || section.isWritten("queue"), span > age else { return }
        problems.add(
            .inconsistent, at: section.location(section.isWritten("queue") ? "queue" : "retry"),
            "'\(section.path("retry"))' goes on for \(span.configText), and a message is kept for \(age.configText)",
            hint: "give 'queue' a larger 'age', or 'retry' fewer pauses")
    }
}
