public import CastWire

/// The plugin's configuration as `gateway.yaml` has it now.
public struct ReloadRequest: Hashable, Sendable {
    /// The configuration; all of it, not what changed.
    public var config: JSONObject
    /// The new grant; nil when it did not change.
    public var grant: PluginGrant?

    /// Puts the request together.
    public init(config: JSONObject, grant: PluginGrant? = nil) {
        self.config = config
        self.grant = grant
    }
}

extension ReloadRequest: WireRecord {
    package static let blank = Self(config: [:])

    package static let members: [Member] = [Member("config", \.config), .optional("grant", \.grant)]
}

/// The plugin's answer to a new configuration.
public enum ReloadOutcome: String, Hashable, Sendable, CaseIterable {
    /// It is in force.
    case applied
    /// It takes a new process: the gateway starts one, and drains this one.
    case replace
}

extension ReloadOutcome: WireObject {
    /// An empty result means applied.
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        guard let text: String = try reader.optional("outcome") else {
            self = .applied
            return
        }
        self = try reader.word(text, named: "outcome")
    }

    package var json: JSONObject { ["outcome": .string(self.rawValue)] }
}

/// No message follows.
public struct DrainRequest: Hashable, Sendable {
    /// How long there is to end what is being done.
    public var deadline: Duration

    /// Makes a request.
    public init(deadline: Duration) {
        self.deadline = deadline
    }
}

extension DrainRequest: WireRecord {
    package static let blank = Self(deadline: .seconds(5))

    package static let members: [Member] = [Member("deadlineMs", \.deadline)]
}

/// The health of a plugin.
public struct PluginHealth: Hashable, Sendable {
    /// Three degrees.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// All is well.
        case ok
        /// It works, and something is not as it should be.
        case degraded
        /// It does not work.
        case failing
    }

    /// How well it is.
    public var status: Status
    /// Why, for people.
    public var message: String?
    /// More, for programs.
    public var details: JSONObject?

    /// Describes the health of a plugin.
    public init(_ status: Status, message: String? = nil, details: JSONObject? = nil) {
        self.status = status
        self.message = message
        self.details = details
    }

    /// All is well.
    public static let ok = PluginHealth(.ok)
    /// It works, and something is not as it should be.
    public static func degraded(_ message: String) -> PluginHealth { PluginHealth(.degraded, message: message) }
    /// It does not work.
    public static func failing(_ message: String) -> PluginHealth { PluginHealth(.failing, message: message) }
}

extension PluginHealth: WireRecord {
    /// A result without a status is a plugin that answers, and so is well.
    package static let blank = Self.ok

    package static let members: [Member] = [
        Member("status", \.status), .optional("message", \.message), .optional("details", \.details),
    ]
}

extension PluginHealth.Status: ClosedWord {}
