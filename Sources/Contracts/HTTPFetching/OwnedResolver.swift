import GatewayConfig
package import NIOCore
import NIOPosix

/// A resolver for bootstraps that looks names up as ``HostResolver`` does. NIO's own has one queue for all names of an event loop, so that a
/// name that is not answered holds up the others.
package struct OwnedResolver: Resolver, Sendable {
    private let resolver: HostResolver
    private let owner: String
    private let eventLoop: any EventLoop

    /// Makes one.
    /// - Parameters:
    ///   - owner: for whom: names that are not answered hold up other look-ups of the same owner at most.
    ///   - eventLoop: where the connection is made.
    package init(_ resolver: HostResolver = .system, owner: String, on eventLoop: any EventLoop) {
        self.resolver = resolver
        self.owner = owner
        self.eventLoop = eventLoop
    }

    /// Finds the IPv4 addresses.
    package func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.find(host, port) { if case .v4 = $0 { true } else { false } }
    }

    /// Finds the IPv6 addresses.
    package func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        self.find(host, port) { if case .v6 = $0 { true } else { false } }
    }

    /// Nothing: a look-up that has begun cannot be ended.
    package func cancelQueries() {}

    private func find(
        _ host: String, _ port: Int, _ isWanted: @escaping @Sendable (SocketAddress) -> Bool
    ) -> EventLoopFuture<[SocketAddress]> {
        let promise = self.eventLoop.makePromise(of: [SocketAddress].self)
        self.resolver.find(host, for: self.owner, before: .distantFuture) { found in
            promise.completeWith(
                found.mapError { $0 as any Error }.map { addresses in
                    addresses.compactMap { try? SocketAddress(ipAddress: $0.description, port: port) }.filter(isWanted)
                })
        }
        return promise.futureResult
    }
}
