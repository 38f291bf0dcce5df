import CastWire

/// What came back to a sender.
struct Answer: Equatable {
    /// The type: the plugin's word, or INVALID_REQUEST.
    let type: String?
    /// Why it was refused.
    let reason: String?
    /// The process that answered.
    let process: Int?
    /// How many answers that process has given after their deadlines.
    let lateAnswers: Int
    /// How many messages that process has taken and keeps.
    let held: Int
    /// How long it took.
    let time: Duration

    init(json: JSONObject, time: Duration) {
        self.type = json.string("type")
        self.reason = json.string("reason")
        self.process = json.int("pid")
        self.lateAnswers = json.int("late") ?? 0
        self.held = json.int("held") ?? 0
        self.time = time
    }

    /// A handler failed, and its claim says `on_failure: closed`.
    var isFailure: Bool { self.type == "INVALID_REQUEST" && self.reason == "APP_ERROR" }
}
