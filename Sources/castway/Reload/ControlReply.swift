/// What the admin listener answered.
struct ControlReply: Sendable {
    /// The HTTP status.
    var status: Int
    /// The body as text.
    var body: String
}
