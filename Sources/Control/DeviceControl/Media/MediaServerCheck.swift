package import CastWire
import GatewayOperations
import HTTPFetching
package import NIOCore

/// What `media.check` asks the servers of a load, asked from where a program runs, without a gateway.
package struct MediaServerCheck: Sendable {
    private let prober: AddressedProbe

    /// Prepares a check.
    /// - Parameters:
    ///   - version: of Castway, which servers are told.
    ///   - group: where the connections live.
    package init(version: String, group: any EventLoopGroup) {
        self.prober = AddressedProbe(version: version, group: group)
    }

    /// Asks each address that a load names, those of private networks and of this machine too; five seconds each, a few at once.
    /// - Parameter load: the LOAD message.
    /// - Returns: `fine`, `urls` and `left_out`, as `media.check` answers them.
    package func ask(_ load: JSONObject) async -> JSONObject {
        let (sources, leftOut) = MediaSource.all(in: load)
        let reports = await CheckMedia.reports(sources, self.prober, true)
        return MediaServersResult.json((reports, leftOut))
    }
}
