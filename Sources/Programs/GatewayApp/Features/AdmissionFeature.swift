import CastTransport
import FeatureContract
import GatewayMetrics
import GatewaySettings
import NIOCore

/// How many connections of each kind there may be, and what they may make the gateway keep: the limits of `connections`, `admin` and `api`,
/// no more of them than the process has descriptors for, within the budget of bytes.
final class AdmissionFeature: GatewayFeature {
    let name = "admission"
    /// Counts the connections over all listeners.
    let admission: Admission
    private let descriptorLimit: Int?

    /// - Parameter descriptorLimit: how many descriptors there are to be shared out; nil for the process's limit, read anew at every
    ///   reload.
    init(_ configuration: GatewayConfiguration, descriptorLimit: Int?) {
        self.descriptorLimit = descriptorLimit
        self.admission = Self.shares(configuration, descriptorLimit).admission(configuration, PeerBudget.ofProcess)
    }

    /// How many senders are connected now, those too whose TLS does not stand yet.
    var senderCount: Int { self.admission.count(of: .senders) }

    func metrics(for scrape: MetricsScrape) -> [MetricFamily] {
        var channels = MetricFamily(.channels)
        channels.add(["north"], Double(self.senderCount))
        return [channels]
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new
        return PreparedChange(commit: { Self.shares(new, self.descriptorLimit).apply(new, to: self.admission) })
    }

    private static func shares(_ configuration: GatewayConfiguration, _ limit: Int?) -> DescriptorShares {
        DescriptorShares(
            configuration, eventLoops: System.coreCount, limit: limit ?? DescriptorLimit.current.soft)
    }
}

extension PeerBudget {
    /// What peers may make this process keep.
    static var ofProcess: PeerBudget { PeerBudget(halfOf: MemoryLimit.current) }
}
