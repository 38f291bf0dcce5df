/// One thing to do, in its flow.
enum PluginJob: Sendable {
    /// A message is kept in one piece: a job is copied some times on its way.
    final class Message: Sendable {
        let id: PluginRequestID
        let request: MessageRequest

        init(_ id: PluginRequestID, _ request: MessageRequest) {
            self.id = id
            self.request = request
        }
    }

    /// An event in one piece.
    final class Event: Sendable {
        let event: PluginEvent

        init(_ event: PluginEvent) {
            self.event = event
        }
    }

    /// A request about the plugin's life, in one piece.
    final class Control: Sendable {
        let id: PluginRequestID
        let line: GatewayLine

        init(_ id: PluginRequestID, _ line: GatewayLine) {
            self.id = id
            self.line = line
        }
    }

    case message(Message)
    case event(Event)
    case control(Control)

    /// The request that the job answers.
    var id: PluginRequestID? {
        switch self {
        case .message(let message): message.id
        case .control(let control): control.id
        case .event: nil
        }
    }
}
