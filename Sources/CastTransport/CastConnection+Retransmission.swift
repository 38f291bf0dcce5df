import Glibc
public import NIOCore

extension CastConnection {
    /// How TCP gets on with what was sent and is not acknowledged.
    public struct Retransmission: Equatable, Sendable {
        /// How often it was sent again since the peer last acknowledged anything.
        public let count: Int
        /// When it is sent again, from now on.
        public let next: TimeAmount

        init(_ info: tcp_info) {
            self.count = Int(info.tcpi_retransmits)
            let timeout = TimeAmount.microseconds(Int64(info.tcpi_rto))
            self.next = max(.zero, timeout - .milliseconds(Int64(info.tcpi_last_data_sent)))
        }
    }

    /// Asks the kernel how TCP gets on.
    /// - Parameter take: gets the answer, on the event loop; nil when there is no TCP below, or no channel any more.
    public func measureRetransmission(_ take: @escaping (Retransmission?) -> Void) {
        guard let channel = self.channel as? any SocketOptionProvider else { return take(nil) }
        channel.getTCPInfo().assumeIsolated().whenComplete { take((try? $0.get()).map { Retransmission($0) }) }
    }
}
