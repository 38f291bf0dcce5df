/// What a line asks for or tells.
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
    /// Nobody waits for the verdict on a message any more. Notification.
    case cancel
    /// How the plugin feels. Request.
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
    /// The plugin feels otherwise than before. Notification.
    case healthChanged = "health.changed"
}
