public import CastWire

/// What every public entry point of the gateway throws.
///
/// Programs compare ``code``; operators read ``description``. Two errors are equal when their codes are.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, in one word that never changes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let value: String

        private init(_ value: String) {
            self.value = value
        }

        /// The word for what went wrong with a session or a request.
        public init(_ code: CastErrorCode) {
            self.init(code.name)
        }

        /// The code as it appears in logs and answers; holds no values, so it is fit for a metric label.
        public var description: String { self.value }

        /// A handler of that name is registered.
        public static let handlerExists = Code("handler_exists")
        /// Another handler holds an equal claim.
        public static let claimConflict = Code("claim_conflict")
        /// The claim makes no sense.
        public static let invalidClaim = Code("invalid_claim")
        /// The namespace is the gateway's own.
        public static let reservedNamespace = Code("reserved_namespace")
        /// A handler threw, or gave a verdict that its phase does not allow.
        public static let handlerFailed = Code("handler_failed")
        /// A handler missed its deadline.
        public static let handlerTimedOut = Code("handler_timed_out")
        /// The address cannot be listened on.
        public static let listenFailed = Code("listen_failed")
        /// The configuration has errors.
        public static let configurationInvalid = Code("configuration_invalid")
        /// Something was changed that takes a restart.
        public static let restartRequired = Code("restart_required")
        /// A new configuration could not be put in force.
        public static let reloadFailed = Code("reload_failed")
        /// The gateway stops, or has too much to do.
        public static let unavailable = Code("unavailable")
        /// There is no such device.
        public static let unknownDevice = Code("unknown_device")
        /// No app runs there, or another session than the one that is meant.
        public static let unknownSession = Code("unknown_session")
        /// The app does not list the namespace, and no handler answers in it.
        public static let unsupportedNamespace = Code("unsupported_namespace")
        /// A message of an internal sender follows from too many others of internal senders.
        public static let messageLoop = Code("message_loop")
    }

    /// What went wrong.
    public let code: Code
    /// The same in a sentence, with names and values.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Code and sentence.
    public var description: String { "\(self.code): \(self.reason)" }
}

extension GatewayError: Hashable {
    /// Equal codes make equal errors.
    public static func == (left: GatewayError, right: GatewayError) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.code) }
}
