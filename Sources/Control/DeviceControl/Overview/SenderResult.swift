import CastWire
import FeatureContract
import GatewayCore
package import GatewayOperations
import VirtualDevices

/// A sender that is connected to a virtual device, as operations answer with it.
package struct SenderResult: ResultRecord {
    package struct Source {
        let sender: SenderOverview
        let context: GatewayContext
    }

    package let id = Field("id", "Its connection, unique while the gateway runs: `c7`") { "\($0.sender.connection)" }
    package let address = Field("address", "Where it comes from") { $0.sender.address }
    package let since = Field("since", "Since when it is connected, in seconds since 1970") {
        $0.context.seconds(of: $0.sender.since)
    }
    let facts = Embedded(members: SenderFacts().fields.members) { $0.sender.facts.json }
    package let apps = Field("apps", "The apps that it is connected to") { $0.sender.apps.map(\.appID.rawValue) }
    package let isThrottled = Field(
        "throttled", "Whether it has to wait now, since its address sends more than it may"
    ) { $0.sender.isThrottled }
    let throttledAt = Field.optional(
        "throttled_at", "When a connection of its address had to wait last, in seconds since 1970"
    ) { $0.sender.throttledAt.map($0.context.seconds) }

    package static let layout = ResultLayout(SenderResult())
}
