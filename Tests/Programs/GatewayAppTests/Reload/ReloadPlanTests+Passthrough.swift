/// Devices whose senders are passed through.
extension ReloadPlanTests {
    private static func passed(_ keys: String, target: String = "{passthrough: tv}") -> String {
        """
        version: 1
        discovery:
          static:
            - {name: tv, address: 192.0.2.1}
            - {name: wall, address: 192.0.2.2}
        virtual_devices:
          - {name: lobby, listen: "192.0.2.9:8009", target: \(target), \(keys)}
        """
    }

    static let passthroughSamples: [Sample] = [
        Sample(
            path: "virtual_devices[].target.passthrough", before: passed("publish: false"),
            after: passed("publish: false", target: "{passthrough: wall}"), planKey: "virtual_devices.lobby.target"),
        Sample(
            path: "virtual_devices[].publish.interfaces", before: passed("publish: {interfaces: [guests0]}"),
            after: passed("publish: {interfaces: [guests1]}"), planKey: "virtual_devices.lobby.publish"),
        Sample(
            path: "virtual_devices[].senders.max", before: passed("publish: false"),
            after: passed("publish: false, senders: {max: 4}"), planKey: "virtual_devices.lobby.senders.max"),
        Sample(
            path: "virtual_devices[].senders.during", before: passed("publish: false"),
            after: passed("publish: false, senders: {during: [\"08:00-23:00\"]}"),
            planKey: "virtual_devices.lobby.senders.during"),
        Sample(
            path: "virtual_devices[].target.observe", before: passed("publish: false"),
            after: passed("publish: false", target: "{passthrough: tv, observe: receiver}"),
            planKey: "virtual_devices.lobby.target"),
        Sample(
            path: "virtual_devices[].senders.stop_at_end",
            before: passed("publish: false, senders: {during: [\"08:00-23:00\"]}"),
            after: passed("publish: false, senders: {during: [\"08:00-23:00\"], stop_at_end: true}"),
            planKey: "virtual_devices.lobby.senders.stop_at_end"),
        Sample(
            path: "virtual_devices[].volume.max", before: passed("publish: false"),
            after: passed("publish: false, volume: {max: 0.6}"), planKey: "virtual_devices.lobby.volume.max"),
    ]
}
