public import CastWire

/// How a sender behaves towards a device.
public struct SenderOptions: Sendable, Hashable {
    /// The id of the sending end of every virtual connection.
    public var senderID: EndpointID
    /// The name of the sender's software.
    public var userAgent: String
    /// How long TCP, TLS included, may take.
    public var connectTimeout: Duration
    /// How long an answer may take.
    public var answerTimeout: Duration
    /// How long a launch or a load may take; devices take their time (protocol notes, 5.4 and 6.3).
    public var startTimeout: Duration
    /// How long to wait before a launch that another one has cancelled is tried once more (protocol notes, 9, 9).
    public var relaunchPause: Duration

    /// Takes the defaults where nothing is said.
    public init(
        senderID: EndpointID = .platformSender, userAgent: String = "Castway", connectTimeout: Duration = .seconds(5),
        answerTimeout: Duration = .seconds(10), startTimeout: Duration = .seconds(60),
        relaunchPause: Duration = .seconds(1)
    ) {
        self.senderID = senderID
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.startTimeout = startTimeout
        self.relaunchPause = relaunchPause
    }
}
