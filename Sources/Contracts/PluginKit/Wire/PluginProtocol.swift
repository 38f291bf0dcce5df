/// The numbers that both ends of a plugin's wire agree on.
public enum PluginProtocol {
    /// The versions that this build speaks.
    public static let versions = 1...1
    /// The longest line, in bytes without its newline: a message of 64 KiB whose every byte takes six, and what is
    /// around it, fit.
    public static let maximumLineLength = 1_048_576
    /// Above so many bytes without a newline a peer is not taken for one that speaks the protocol.
    public static let maximumUnfinishedLength = 8_388_608
    /// From so many bytes on lines are written even when more are to come at once, so that both ends work at the same time.
    public static let batchLength = 4_096
    /// How many messages may be unanswered, unless the plugin asks for fewer.
    public static let defaultMaximumInFlight = 32
    /// The exit code of a plugin that cannot work with its configuration; it is not started again before a reload.
    public static let exitCodeConfiguration: Int32 = 78
}

/// Optional parts of the protocol that an end of the wire supports; told in `initialize`.
public enum PluginFeature {
    /// The verdict `defer` and `message.complete`.
    public static let deferral = "defer"
    /// `operation.call`, and what belongs to it.
    public static let operations = "operations"
    /// `gateway.call`.
    public static let calls = "calls"
    /// The time of `initialize` and of `clock.advance` instead of the machine's: for tests.
    public static let testClock = "test.clock"
}

/// The methods of the protocol.
public enum PluginMethod: String, Hashable, Sendable, CaseIterable {
    // The gateway says:

    /// Versions, grant, configuration, limits; the first line. Request.
    case initialize
    /// Devices and sessions as they stand; messages may follow the answer. Request.
    case start
    /// A message to decide about; the result is the verdict. Request.
    case message
    /// Something happened: a message passed that the plugin observes, or an event of the gateway's. Notification.
    case event
    /// The verdict on a message is not awaited any more. Notification.
    case cancel
    /// A caller wants an operation of the plugin's done; the result is the outcome, or says that it comes later. Request.
    case operationCall = "operation.call"
    /// The outcome of an operation is not awaited any more. Notification.
    case requestAbort = "request.abort"
    /// The plugin's health. Request.
    case health
    /// A new configuration. Request.
    case reload
    /// No message follows; what is being done should be ended. Request.
    case drain
    /// The end. Request.
    case shutdown
    /// Time moves, under a test (``PluginFeature/testClock``). Request.
    case clockAdvance = "clock.advance"

    // The plugin says:

    /// The verdict on a message that was deferred. Notification.
    case messageComplete = "message.complete"
    /// How far an operation is. Notification.
    case requestProgress = "request.progress"
    /// What came of an operation whose outcome was to come later. Notification.
    case requestComplete = "request.complete"
    /// Why such an operation was not done. Notification.
    case requestFail = "request.fail"
    /// An operation of the gateway's. Request.
    case gatewayCall = "gateway.call"
    /// Devices that the plugin has found, or that have changed. Request.
    case providerPublish = "provider.publish"
    /// Devices that are not there any more. Request.
    case providerWithdraw = "provider.withdraw"
    /// A message to the app of a device. Request.
    case gatewaySend = "gateway.send"
    /// A message to the senders of a session. Request.
    case gatewayBroadcast = "gateway.broadcast"
    /// An event for the gateway's bus. Request.
    case gatewayEmit = "gateway.emit"
    /// A question about devices, sessions or media. Request.
    case gatewayQuery = "gateway.query"
    /// The value under a key. Request.
    case storeGet = "kv.get"
    /// Keeps a value under a key. Request.
    case storePut = "kv.put"
    /// Forgets a key. Request.
    case storeDelete = "kv.delete"
    /// The keys that there are. Request.
    case storeList = "kv.list"
    /// A line for the gateway's log. Notification.
    case log
    /// The plugin's health changed. Notification.
    case healthChanged = "health.changed"
}
