import GatewayApp

/// Whether the process may open as many sockets as the configuration allows senders.
struct DescriptorCheck: DoctorCheck {
    let configuration: GatewayConfiguration
    /// How many the process may have open after raising its limit.
    var limit = DescriptorLimit.current.hard

    let name = "descriptors"

    func findings() async -> [DoctorFinding] {
        let need = DescriptorNeed(self.configuration)
        let seen = "\(self.limit) allowed, \(need.total) wanted at most"
        guard need.total > self.limit else { return [.ok("open files", seen)] }
        let fit = need.sendersThatFit(in: self.limit)
        let advice = "LimitNOFILE=\(need.total) in the unit (ulimit -Hn), or connections.senders.max_total: \(fit)"
        return fit == 0
            ? [.fail("open files", "\(seen): no sender fits", advice: advice)]
            : [.warn("open files", "\(seen): \(fit) senders fit", advice: advice)]
    }
}
