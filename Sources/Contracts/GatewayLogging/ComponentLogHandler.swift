import CastWire
import Logging

/// Writes the lines of one component.
///
/// The level is that of its component, unless this logger was given one of its own; a logger that is off costs one
/// load and one comparison.
struct ComponentLogHandler: LogHandler {
    let component: String
    var logLevel: Logger.Level {
        get { self.ownLevel ?? self.componentLevel.gate }
        set { self.ownLevel = newValue }
    }
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private var ownLevel: Logger.Level?
    private let componentLevel: ComponentLevel
    private let settings: LogSettings
    private let now: @Sendable () -> LogInstant

    init(
        component: String, settings: LogSettings, now: @escaping @Sendable () -> LogInstant
    ) {
        self.component = component
        self.componentLevel = settings.level(of: component)
        self.settings = settings
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let plan = self.settings.plan
        guard plan.filter.admits(event, level: self.ownLevel == nil ? self.componentLevel.level : nil) else { return }
        var metadata = self.metadata
        if let provided = self.metadataProvider?.get() { metadata.merge(provided) { $1 } }
        if let own = event.metadata { metadata.merge(own) { $1 } }
        if let error = event.error, metadata["err"] == nil { metadata["err"] = "\(error)" }
        let fields = metadata.sorted { $0.key < $1.key }.map { entry in
            (name: entry.key, value: plan.redaction.redacted(entry.value.logValue(), at: [entry.key]))
        }
        let record = LogRecord(
            instant: self.now(), level: event.level, component: self.component, message: event.message.description,
            fields: fields, origin: plan.hasOrigin ? LogOrigin(event) : nil)
        for sink in plan.sinks where sink.level.admits(event.level) { sink.write(record) }
    }
}

extension Logger.MetadataValue {
    /// The value as JSON; numbers and truth values stay what they are.
    fileprivate func logValue(depth: Int = 0) -> JSONValue {
        // What code attaches is never this deep; the limit keeps the stack safe all the same.
        guard depth < 16 else { return "…" }
        switch self {
        case .string(let text): return .string(text)
        case .stringConvertible(let value): return Self.logValue(value)
        case .array(let elements): return .array(elements.map { $0.logValue(depth: depth + 1) })
        case .dictionary(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return .object(JSONObject(sorted.map { ($0.key, $0.value.logValue(depth: depth + 1)) }))
        }
    }

    private static func logValue(_ value: any CustomStringConvertible) -> JSONValue {
        switch value {
        case let value as Bool: .bool(value)
        case let value as any BinaryInteger:
            Int(exactly: value).map { .number($0) } ?? .string(value.description)
        case let value as any BinaryFloatingPoint: .number(Double(value))
        default: .string(value.description)
        }
    }
}
