import Glibc
package import NIOCore

extension MediaEndpoint {
    /// The same as NIO has it; nil for one that is no IP address.
    package init?(_ address: SocketAddress) {
        let endpoint: MediaEndpoint? = address.withSockAddr { address, _ in MediaEndpoint(address) }
        guard let endpoint else { return nil }
        self = endpoint
    }
}
