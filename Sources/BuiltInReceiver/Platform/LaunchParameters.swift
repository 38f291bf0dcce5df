import CastWire

/// What a LAUNCH handed over for the app: kept while the app runs, for whoever plays the app (protocol notes, 5.4).
///
/// Its description leaves the content out, since that may be credentials.
struct LaunchParameters: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// How large the parameters may be together, in bytes of JSON.
    static let maximumSize = 32_768

    /// Parameters for the app, any JSON.
    let appParams: JSONValue?
    /// Who the user is, wherever in the message it stood.
    let credentials: ReceiverRequest.LaunchCredentials?
    /// More for the app, any JSON.
    let customData: JSONValue?
    /// The sender's language, such as `en-US`.
    let language: String?

    /// Takes the parameters of a LAUNCH.
    /// - Returns: nil when they are too large to be kept.
    init?(_ request: ReceiverRequest) {
        self.appParams = request.appParams
        self.credentials = request.credentials
        self.customData = request.json["customData"]
        self.language = request.language
        let texts = [
            self.credentials?.credentials, self.credentials?.credentialsType, self.language, self.appParams?.text,
            self.customData?.text,
        ]
        guard texts.reduce(0, { $0 + ($1?.utf8.count ?? 0) }) <= Self.maximumSize else { return nil }
    }

    /// Nothing that a sender sent.
    var description: String { "launch parameters" }
    /// Nothing that a sender sent.
    var debugDescription: String { self.description }
}
