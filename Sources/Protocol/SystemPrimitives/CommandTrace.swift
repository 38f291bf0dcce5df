/// The command of a caller that something is done for: what is sent and what happens can be traced back to it.
///
/// It follows the task that carries the command out. Work that the task hands to an event loop is done within
/// ``following(_:_:)``, and so is what the loop does with the answer.
package struct CommandTrace: Sendable {
    /// That of the command that is carried out here; nil where none is.
    @TaskLocal package static var current: CommandTrace?

    /// Who has a command carried out.
    package struct Caller: Sendable, Hashable {
        /// What the caller is called.
        package let name: String
        /// Whether it is the MQTT broker.
        package let isBroker: Bool
        /// The name of the plugin that it is; nil for none.
        package let plugin: String?
        /// How many messages of internal senders led to the command; 0 for none.
        package let hops: Int

        /// Names a caller.
        package init(name: String, isBroker: Bool, plugin: String? = nil, hops: Int = 0) {
            self.plugin = plugin
            self.name = name
            self.isBroker = isBroker
            self.hops = hops
        }
    }

    /// The id of the request that the command is.
    package let request: String
    /// Who gave the command; nil where that is not known.
    package let caller: Caller?
    private let onDevice: @Sendable (String) -> Void
    private let onSent: @Sendable () -> Void
    private let isSent: @Sendable () -> Bool
    private let onProgress: @Sendable (CommandProgress) -> Void

    /// - Parameters:
    ///   - request: the id of the request.
    ///   - caller: who gave the command.
    ///   - onDevice: called from any thread with the name in the gateway of the device that the command is about, once it is known.
    ///   - onSent: called from any thread when the device is asked, perhaps more than once.
    ///   - isSent: whether it was.
    ///   - onProgress: called from any thread with how far the command is, perhaps often.
    package init(
        request: String, caller: Caller? = nil, onDevice: @escaping @Sendable (String) -> Void,
        onSent: @escaping @Sendable () -> Void, isSent: @escaping @Sendable () -> Bool,
        onProgress: @escaping @Sendable (CommandProgress) -> Void = { _ in }
    ) {
        self.onProgress = onProgress
        self.request = request
        self.caller = caller
        self.onDevice = onDevice
        self.onSent = onSent
        self.isSent = isSent
    }

    /// Whether the device was asked.
    package var wasSent: Bool { self.isSent() }

    /// The command is about a device.
    /// - Parameter device: its name in the gateway.
    package func concerns(device: String) { self.onDevice(device) }

    /// The device is asked now: from here on taking the command back, or losing the channel, leaves open whether it was done.
    package func sent() { self.onSent() }

    /// The command is so far.
    package func progressed(_ progress: CommandProgress) { self.onProgress(progress) }

    /// Does something for a command.
    /// - Parameter trace: the command; nil for what is done for the one that ``current`` has, or for none.
    package static func following<Result>(_ trace: CommandTrace?, _ body: () throws -> Result) rethrows -> Result {
        guard let trace else { return try body() }
        return try Self.$current.withValue(trace, operation: body)
    }

    /// Work for an event loop, done there for the command that ``current`` has here.
    package static func carried<Result>(_ body: @escaping @Sendable () -> Result) -> @Sendable () -> Result {
        let trace = Self.current
        return { Self.following(trace, body) }
    }
}

/// How far a command is that takes its time.
package struct CommandProgress: Sendable, Hashable {
    /// How much of it is done, from 0 to 1; nil when that is not known.
    package var fraction: Double?
    /// What is being done, for people; nil when nothing is said.
    package var text: String?

    /// Says how far a command is.
    package init(fraction: Double? = nil, text: String? = nil) {
        self.fraction = fraction
        self.text = text
    }
}
