public import CastWire
import HTTPFetching
public import NIOCore

/// What `media.check` asks the servers of a load, asked from where a program runs, without a gateway.
public struct MediaServerCheck: Sendable {
    private let prober: AddressedProbe

    /// Prepares a check.
    /// - Parameters:
    ///   - version: of Castway, which servers are told.
    ///   - group: where the connections live.
    public init(version: String, group: any EventLoopGroup) {
        self.prober = AddressedProbe(version: version, group: group)
    }

    /// Asks each address that a load names, those of private networks and of this machine too; five seconds each, a few at once.
    /// - Parameter load: the LOAD message.
    /// - Returns: `fine`, `urls` and `left_out`, as `media.check` answers them.
    public func ask(_ load: JSONObject) async -> JSONObject {
        let (sources, leftOut) = MediaSource.all(in: load)
        let reports = await CheckMedia.reports(sources, self.prober, true)
        return [
            "fine": .bool(reports.allSatisfy(\.isFine)), "urls": .array(reports.map { .object($0.json) }),
            "left_out": .number(leftOut),
        ]
    }
}
