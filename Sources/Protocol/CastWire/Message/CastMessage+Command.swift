extension CastMessage {
    /// Whether it has its receiver do something: false for what opens, closes and keeps up connections, and for questions to the
    /// platform or about media, such as GET_STATUS. What a message in a namespace of an app's own does is not known, so it
    /// counts as a command.
    public var isCommand: Bool {
        switch self.family {
        case .connection, .heartbeat, .deviceAuth: return false
        case .custom, .invalid: return true
        default:
            guard let type = PayloadSummary(peeking: self.payload).type else { return true }
            return !type.hasPrefix("GET_") && !type.hasPrefix("QUEUE_GET_")
        }
    }
}
