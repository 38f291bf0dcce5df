import CastTransport
package import CastWire
package import GatewayCore
package import NIOCore

/// A virtual device that runs, as it stood at one moment: who is connected, and what runs.
package struct VirtualDeviceOverview: Sendable {
    package struct App: Sendable {
        package let facts: SessionFacts
        /// The media: one element of MEDIA_STATUS's `status`; nil when nothing is loaded or it has not said.
        package let media: JSONObject?
        package let times: AppTimes
    }

    package let state: VirtualDeviceState
    /// The senders that are connected by a channel, the oldest first.
    package let senders: [SenderOverview]
    /// The apps that run, without the idle screen.
    package let apps: [App]
    package let streams: [MirroringStream]
}

package struct SenderOverview: Sendable {
    package let connection: ConnectionID
    /// The sender's address, without the port.
    package let address: String
    /// The time when the channel stood.
    package let since: NIODeadline
    package let facts: SenderFacts
    package let apps: [SessionFacts]
    /// True if its address sends faster than it may: a connection of it has to wait now.
    package let isThrottled: Bool
    /// The time when a connection of its address had to wait last; nil when none ever had.
    package let throttledAt: NIODeadline?

    package init(
        connection: ConnectionID, address: String, since: NIODeadline, facts: SenderFacts, apps: [SessionFacts],
        isThrottled: Bool, throttledAt: NIODeadline?
    ) {
        self.connection = connection
        self.address = address
        self.since = since
        self.facts = facts
        self.apps = apps
        self.isThrottled = isThrottled
        self.throttledAt = throttledAt
    }
}

extension RunningDevices {
    /// The devices by name; one after the other is asked on its event loop, within the patience of the caller.
    package func overviews() async -> [VirtualDeviceOverview] {
        var overviews: [VirtualDeviceOverview] = []
        for device in self.current {
            guard let overview = await device.answer({ $0.overview }) else { continue }
            overviews.append(overview)
        }
        return overviews
    }

    /// One device; nil when it does not run, or does not answer within the patience of the caller.
    package func overview(of name: String) async -> VirtualDeviceOverview? {
        await self.entry(name)?.answer { $0.overview }
    }

    /// Lets something happen at a device itself, which the senders are told.
    /// - Returns: what became of it; nil when the device does not run, or does not answer.
    package func simulate(_ event: SimulatedEvent, at name: String) async -> SimulationOutcome? {
        await self.entry(name)?.answer { $0.target.simulate(event) }
    }

    /// Disconnects senders of a device; their channels close behind what was sent to them.
    /// - Parameters:
    ///   - isMeant: which senders.
    ///   - reason: why, for the log and the event.
    /// - Returns: those that are disconnected; nil when the device does not run, or does not answer within the patience of the caller:
    ///   then they are disconnected once its event loop turns.
    package func disconnect(
        from name: String, reason: String, where isMeant: @escaping @Sendable (SenderOverview) -> Bool
    ) async -> [SenderOverview]? {
        await self.entry(name)?.answer { $0.disconnect(reason: reason, where: isMeant) }
    }
}

extension VirtualDevice {
    fileprivate var overview: VirtualDeviceOverview {
        let target = self.target
        return VirtualDeviceOverview(
            state: self.state, senders: self.senders.all.map { $0.overview(of: target) },
            apps: target.sessions.map {
                VirtualDeviceOverview.App(
                    facts: $0, media: target.media(at: $0.transportID), times: target.times(of: $0))
            }, streams: target.streams)
    }

    fileprivate func disconnect(
        reason: String, where isMeant: (SenderOverview) -> Bool
    ) -> [SenderOverview] {
        let all = self.senders.all.map { (sender: $0, overview: $0.overview(of: self.target)) }
        let meant = all.filter { isMeant($0.overview) }
        for (sender, _) in meant { sender.close(reason) }
        return meant.map(\.overview)
    }
}

extension SenderConnection {
    fileprivate func overview(of target: any DeviceTarget) -> SenderOverview {
        let locals = Set(self.virtualConnections.all.map(\.connection.local))
        return SenderOverview(
            connection: self.id, address: self.address, since: self.connectedAt,
            facts: self.facts,
            apps: target.sessions.filter { locals.contains($0.transportID) },
            isThrottled: self.account.budget.isThrottling, throttledAt: self.account.budget.throttledAt)
    }
}
