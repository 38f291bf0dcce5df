internal import Logging
internal import Synchronization

/// What all handlers of a process go by: `log` of the configuration in force, and what standard error is.
final class LogSettings: Sendable {
    struct Shape {
        var format: LogLineFormat
        var redaction: LogRedaction
    }

    private struct State {
        var configuration: LogConfiguration
        var levels: [String: ComponentLevel] = [:]
    }

    private let isTerminal: Bool
    private let isColoured: Bool
    private let state: Mutex<State>
    private let currentShape: Mutex<Shape>

    init(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool) {
        self.isTerminal = isTerminal
        self.isColoured = isColoured
        self.state = Mutex(State(configuration: configuration))
        self.currentShape = Mutex(Self.shape(configuration, isTerminal: isTerminal, isColoured: isColoured))
    }

    /// How lines look now.
    var shape: Shape { self.currentShape.withLock { $0 } }

    /// The level of a component, which follows the configuration.
    func level(of component: String) -> ComponentLevel {
        self.state.withLock { state in
            if let known = state.levels[component] { return known }
            let made = ComponentLevel(state.configuration.level(of: component))
            state.levels[component] = made
            return made
        }
    }

    /// Goes by another configuration from the next line on.
    func apply(_ configuration: LogConfiguration) {
        self.state.withLock { state in
            state.configuration = configuration
            for (component, level) in state.levels { level.set(configuration.level(of: component)) }
        }
        let shape = Self.shape(configuration, isTerminal: self.isTerminal, isColoured: self.isColoured)
        self.currentShape.withLock { $0 = shape }
    }

    private static func shape(_ configuration: LogConfiguration, isTerminal: Bool, isColoured: Bool) -> Shape {
        let format: LogLineFormat =
            switch configuration.format {
            case .auto: isTerminal ? .text(isColoured: isColoured) : .json
            case .text: .text(isColoured: isTerminal && isColoured)
            case .json: .json
            }
        return Shape(format: format, redaction: LogRedaction(configuration.redact))
    }
}
