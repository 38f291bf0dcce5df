public import GatewayConfig

/// `channels[]`: a custom namespace that Castway answers itself.
public struct ChannelConfiguration: ConfigObject {
    /// What answers on the namespace.
    public enum Handler: String, Sendable, CaseIterable {
        /// Sends every message back to where it came from.
        case echo
        /// Sends every message to every sender of the same app.
        case broadcast
    }

    /// The namespace, `urn:x-cast:…`.
    public var namespace: String
    /// What answers on it.
    public var handler: Handler

    /// The keys of `channels[]`.
    public static let keys: [Key] = [
        .required(
            "namespace", \.namespace, .namespace, "The namespace", example: "\"urn:x-cast:com.example.echo\""),
        .required(
            "handler", \.handler, .word,
            "`echo` sends every message back, `broadcast` sends it to every sender of the app", example: "echo"),
    ]

    /// The name under which what answers is registered as a handler.
    public var handlerName: String { "channel \(self.namespace)" }

    /// Makes a configuration from its parts.
    public init(namespace: String, handler: Handler) {
        self.namespace = namespace
        self.handler = handler
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(namespace: "", handler: .echo) }

    /// Adds what is wrong with the namespace of one channel.
    /// - Parameter owned: Namespaces that have an owner already, with who it is, for people.
    public static func check(_ section: ConfigSection, owned: [String: String], problems: inout ConfigProblems) {
        let namespace = section.string("namespace")
        problems.addIfReserved(namespace, at: section.location("namespace"))
        guard section.isValid("namespace"), let owner = owned[namespace] else { return }
        problems.add(
            .claimConflict, at: section.location("namespace"),
            "'\(namespace)' is no custom namespace: \(owner) handles it",
            hint: "use a namespace of your own, such as urn:x-cast:com.example.echo")
    }
}
