import NIOCore

enum SpliceSide: Hashable, CustomStringConvertible {
    case sender
    case device

    var other: SpliceSide { self == .sender ? .device : .sender }
    var description: String { self == .sender ? "sender" : "device" }
}

/// The reason a splice ended. There is one reason for each, in the log and in events.
enum SpliceEnding: Hashable, CustomStringConvertible {
    /// This end said first that it has no more to say.
    case closed(by: SpliceSide)
    case failed(SpliceSide, String)
    /// The sender did not begin in time.
    case silentSender
    /// It was the oldest of too many that had not begun.
    case evicted
    /// The first bytes of the sender are no TLS.
    case notTLS
    /// No address of the device answered.
    case unreachable(String)
    /// Nothing has passed for so long.
    case idle(TimeAmount)
    /// This end reads nothing of what it is sent.
    case stalled(SpliceSide)
    case deviceAway
    case deviceMoved
    case outsideHours
    /// The gateway, or a caller of it.
    case closedLocally(String)

    var description: String {
        switch self {
        case .closed(let side): "closed by the \(side)"
        case .failed(let side, let text): "the connection to the \(side) failed: \(text)"
        case .silentSender: "the sender did not begin TLS in time"
        case .evicted: "the connection was the oldest of too many that had not begun TLS"
        case .notTLS: "what the sender sent first is not TLS"
        case .unreachable(let text): "the device cannot be reached: \(text)"
        case .idle(let time): "nothing has passed for \(time.nanoseconds / 1_000_000_000) s"
        case .stalled(let side): "the \(side) reads nothing of what it is sent"
        case .deviceAway: "the device is away"
        case .deviceMoved: "the device is at another address now"
        case .outsideHours: "the time is not in senders.during"
        case .closedLocally(let reason): reason
        }
    }

    /// True if the log is to show it among faults.
    var isFault: Bool {
        switch self {
        case .failed, .stalled, .idle: true
        default: false
        }
    }
}
