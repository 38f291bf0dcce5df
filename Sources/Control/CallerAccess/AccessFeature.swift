package import CastIdentity
import ControlAPI
package import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
import NIOPosix

/// Who may use the API: tokens are made, listed and revoked, and follow `api.tokens`.
package final class AccessFeature: OperatingFeature {
    package let name = "access"
    /// Knows who a caller of the network is.
    package let authority: TokenAuthority
    /// Has tokens end by the clock as it is set.
    private let clock: ClockObservation

    /// - Parameter identities: where the database is that tokens are kept in.
    /// - Throws: when the state database cannot be read.
    package init(_ context: GatewayContext, identities: IdentityStore) throws {
        let store = try TokenStore(identities.database)
        let logger = context.makeLogger("API")
        self.authority = try TokenAuthority(
            store: store, configured: context.configuration.current.api.tokens,
            obstacle: identities.volatility.map { "\($0)" }, audit: context.audit, eventLoop: context.eventLoops.any(),
            wallClock: context.wallClock
        ) { id, time in
            NIOThreadPool.singleton.submit { state in
                guard state == .active else { return }
                do {
                    try store.touch(id, at: time)
                } catch {
                    logger.debug("The last use of a token is not kept", metadata: ["reason": "\(error)"])
                }
            }
        }
        self.clock = context.events.clock.observe { [weak authority = self.authority] in authority?.settle() }
    }

    package static let offered: [Offer<AccessFeature>] = [
        Offer { CreateToken(authority: $0.authority) },
        Offer { ListTokens(authority: $0.authority) },
        Offer { RevokeToken(authority: $0.authority) },
    ]

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let tokens = change.new.api.tokens
        return PreparedChange(commit: { self.authority.follow(tokens) })
    }

    package func close() {
        self.authority.close()
    }
}
