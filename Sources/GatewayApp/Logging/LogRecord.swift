internal import CastWire
internal import Logging

/// What one line says, before it has a shape. Secrets are gone already.
struct LogRecord {
    let instant: LogInstant
    let level: Logger.Level
    let component: String
    let message: String
    /// Names and values in the order of their names.
    let fields: [(name: String, value: JSONValue)]
}
