package import CastWire
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a channel was closed from this end, or never came to be.
package enum TransportError: Error, Hashable, Sendable {
    /// The peer sent something that is no Cast message.
    case malformed(WireError)
    /// Nothing whole was heard from the peer for the heartbeat's timeout.
    case silentPeer
    /// The peer does not read what it is sent.
    case slowReader(pendingBytes: Int)
    /// A frame that began did not end in time.
    case slowFrame
    /// The peer sent more of something than any honest one does.
    case flood(PeerFlood)
    /// TLS was not set up in time.
    case handshakeTimedOut
    /// TLS was not set up while others came, and of all that were not this was the oldest.
    case handshakeEvicted
    /// All connections or bytes that senders may have were in use, and the peer's address had more of them than another that came.
    case gaveWay
    /// The peer broke TLS, or does not speak it.
    case tls(String)
    /// The socket failed.
    case failed(String)
    /// The gateway or the feature above closed the channel.
    case closedLocally(String)

    /// A label without values, fit for a metric.
    package var label: String {
        switch self {
        case .malformed(let error): error.label
        case .silentPeer: "silent_peer"
        case .slowReader: "slow_reader"
        case .slowFrame: "slow_frame"
        case .flood(let flood): flood.rawValue
        case .handshakeTimedOut: "handshake_timed_out"
        case .handshakeEvicted: "handshake_gave_way"
        case .gaveWay: "gave_way"
        case .tls: "tls_failed"
        case .failed: "failed"
        case .closedLocally: "closed_locally"
        }
    }
}

extension TransportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let error): "the peer sent \(error)"
        case .silentPeer: "the peer was silent for too long"
        case .slowReader(let pending): "the peer does not read, \(pending) bytes wait for it"
        case .slowFrame: "the peer began a message and did not end it in time"
        case .flood(let flood): flood.description
        case .handshakeTimedOut: "the peer did not finish the TLS handshake in time"
        case .handshakeEvicted: "the TLS handshake was the oldest of too many unfinished ones"
        case .gaveWay: "the peer's address had the most connections when there was no room for another"
        case .tls(let text): "TLS failed: \(text)"
        case .failed(let text): text
        case .closedLocally(let reason): reason
        }
    }
}

extension TransportError {
    /// True when the peer broke a rule or used too much, rather than that either end closed or the network failed: it gets no farewell.
    package var isFault: Bool {
        switch self {
        case .malformed, .slowReader, .silentPeer, .slowFrame, .flood, .handshakeTimedOut, .handshakeEvicted, .gaveWay,
            .tls:
            true
        case .failed, .closedLocally: false
        }
    }
}

extension TransportError {
    /// What an error in a channel means; nil when the peer merely went away, with or without saying so in TLS.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError: self = error
        case let error as WireError: self = .malformed(error)
        case NIOSSLError.uncleanShutdown: return nil
        case is NIOSSLError, is BoringSSLError: self = .tls(Self.text(of: error))
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: return nil
        default: self = .failed(Self.text(of: error))
        }
    }
}
