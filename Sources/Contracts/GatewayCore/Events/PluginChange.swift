/// What happened to a plugin.
public enum PluginChange: Hashable, Sendable {
    /// It answers messages from now on.
    case ready(version: String)
    /// It works, and says that something is not as it should be; or it works again after that, when there is no reason.
    case degraded(reason: String?)
    /// It ended without having been asked to. The lines are the last that it wrote to its standard error.
    case crashed(reason: String, lines: [String])
    /// It ends again and again, and is tried at long intervals from now on.
    case crashlooped(reason: String)
    /// It ended as it was meant to, or is not started any more.
    case stopped(reason: String)
    /// It ended, and is not in the configuration any more.
    case removed

    /// The event's name on every interface.
    public var name: String { self.declaration(of: "").name }
}

extension PluginChange: EventFamily {
    func declaration(of plugin: String) -> EventDeclaration {
        func event(
            _ name: String, isLast: Bool = false, @EventBody.Builder _ body: @escaping @Sendable () -> EventBody
        ) -> Event {
            Event(name, .state(.plugin, id: plugin, isLast: isLast), .gateway) {
                body().after([EventField("plugin", plugin, "Its name")])
            }
        }
        return switch self {
        case .ready(let version):
            event("plugin.ready") {
                "A plugin answers messages from now on"
                EventField("version", version, "Its version")
            }
        case .degraded(let reason):
            event("plugin.degraded") {
                "A plugin works, and says that something is not as it should be; or works again after that"
                EventField.optional("reason", reason, "What is wrong; missing when it works again")
            }
        case .crashed(let reason, let lines):
            event("plugin.crashed") {
                "A plugin ended without having been asked to"
                EventField.reason(reason)
                EventField("lines", lines, "The last that it wrote to its standard error")
            }
        case .crashlooped(let reason):
            event("plugin.crashlooped") {
                "A plugin ends again and again, and is tried at long intervals"
                EventField.reason(reason)
            }
        case .stopped(let reason):
            event("plugin.stopped") {
                "A plugin ended as it was meant to, or is not started any more"
                EventField.reason(reason)
            }
        case .removed:
            event("plugin.removed", isLast: true) { "A plugin ended, and is not in the configuration any more" }
        }
    }

    package static let examples: [PluginChange] = [
        .ready(version: ""), .degraded(reason: nil), .crashed(reason: "", lines: []), .crashlooped(reason: ""),
        .stopped(reason: ""), .removed,
    ]
}
