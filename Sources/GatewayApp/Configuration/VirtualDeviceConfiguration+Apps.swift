internal import BuiltInReceiver
import CastWire
internal import GatewayConfig

extension VirtualDeviceConfiguration {
    /// Warns of listed apps that can never run on the device's target, and of what is said of apps and read by nothing.
    static func checkThatAppsMayRun(_ section: ConfigSection, problems: inout ConfigProblems) {
        for app in section.list("apps") {
            if let id = app.string { self.warnIfStreamed(id, at: app.location, in: section, problems: &problems) }
        }
        let isRelay = section.optionalSection("target") != nil
        for app in section.map("apps") {
            self.warnIfStreamed(app.key, at: app.keyLocation, in: section, problems: &problems)
            guard isRelay, let details = app.value.section else { continue }
            for key in VirtualAppConfiguration.keys where details.isWritten(key) {
                problems.add(
                    .neverRuns, at: details.location(key),
                    "'\(details.path(key))' has no effect on a device that stands for another",
                    hint: "the app runs on the device behind it, which decides about that", severity: .warning)
            }
        }
    }

    private static func warnIfStreamed(
        _ id: String, at location: ConfigLocation, in section: ConfigSection, problems: inout ConfigProblems
    ) {
        guard AppID(rawValue: id).isStreamed else { return }
        problems.add(
            .neverRuns, at: location, "app '\(id)' is for mirroring, and can never run on a virtual device",
            hint: "remove it: senders are told that it is not available", severity: .warning)
    }
}
