/// How a media client behaves.
public struct MediaClientOptions: Hashable, Sendable {
    /// How long an answer may take (protocol notes, 7).
    public var answerTimeout: Duration
    /// How long a load may take; receivers were seen to give up after 20 s and more (protocol notes, 6.3).
    public var loadTimeout: Duration
    /// The shortest time between two status events: one load is told in a burst (protocol notes, quirk 30). Zero tells all.
    public var statusInterval: Duration
    /// How long a player must be idle to be taken for idle when another item may follow (protocol notes, quirk 21).
    public var idleDelay: Duration
    /// How many queue items are kept.
    public var queueCacheSize: Int
    /// How many queue items are asked for at once.
    public var queueFetchSize: Int
    /// How long wishes for queue items are collected before they are asked for.
    public var queueFetchDelay: Duration
    /// Whether a command that the receiver says it cannot do is refused before it is sent.
    public var checksSupportedCommands: Bool

    /// Takes the defaults where nothing is said.
    public init(
        answerTimeout: Duration = .seconds(10), loadTimeout: Duration = .seconds(60),
        statusInterval: Duration = .milliseconds(100), idleDelay: Duration = .seconds(2), queueCacheSize: Int = 200,
        queueFetchSize: Int = 20, queueFetchDelay: Duration = .milliseconds(50), checksSupportedCommands: Bool = true
    ) {
        self.answerTimeout = answerTimeout
        self.loadTimeout = loadTimeout
        self.statusInterval = statusInterval
        self.idleDelay = idleDelay
        self.queueCacheSize = queueCacheSize
        self.queueFetchSize = queueFetchSize
        self.queueFetchDelay = queueFetchDelay
        self.checksSupportedCommands = checksSupportedCommands
    }
}
