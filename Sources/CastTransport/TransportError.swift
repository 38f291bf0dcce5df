public import CastWire

/// Why a channel was closed from this end, or never came to be.
public enum TransportError: Error, Hashable, Sendable {
    /// The peer sent something that is no Cast message.
    case malformed(WireError)
    /// Nothing whole was heard from the peer for the heartbeat's timeout.
    case silentPeer
    /// The peer does not read what it is sent.
    case slowReader(pendingBytes: Int)
    /// TLS was not set up in time.
    case handshakeTimedOut
    /// TLS failed, or the socket did.
    case failed(String)
    /// The gateway or the feature above closed the channel.
    case closedLocally(String)

    /// A label without values, fit for a metric.
    public var label: String {
        switch self {
        case .malformed(let error): error.label
        case .silentPeer: "silent_peer"
        case .slowReader: "slow_reader"
        case .handshakeTimedOut: "handshake_timed_out"
        case .failed: "failed"
        case .closedLocally: "closed_locally"
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .malformed(let error): "the peer sent \(error)"
        case .silentPeer: "the peer was silent for too long"
        case .slowReader(let pending): "the peer does not read, \(pending) bytes wait for it"
        case .handshakeTimedOut: "the peer did not finish the TLS handshake in time"
        case .failed(let text): text
        case .closedLocally(let reason): reason
        }
    }
}

extension TransportError {
    /// True when the peer broke a rule, rather than that somebody closed or the network failed.
    public var isFault: Bool {
        switch self {
        case .malformed, .slowReader, .silentPeer, .handshakeTimedOut: true
        case .failed, .closedLocally: false
        }
    }
}
