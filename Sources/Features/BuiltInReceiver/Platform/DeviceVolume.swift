import CastWire

/// The volume of a built-in receiver and the rules for changing it (protocol notes, 5.6).
///
/// Devices keep the level with single precision, and senders see the rounded number.
struct DeviceVolume: Hashable, Sendable {
    /// The outcome of a change.
    enum Change: Hashable, Sendable {
        case changed
        /// All is as before, also because the volume is fixed.
        case unchanged
        /// The request makes no sense; nothing was changed.
        case refused
    }

    private let controlType: VolumeControlType
    private let step: Float
    private(set) var level: Float
    private(set) var isMuted = false

    init(_ configuration: VolumeConfiguration) {
        self.controlType =
            switch configuration.control {
            case .attenuation: .attenuation
            case .fixed: .fixed
            case .master: .master
            }
        self.step = Float(configuration.step)
        self.level = Self.clamped(configuration.level)
    }

    /// Starts anew with another configuration and the state that senders left.
    init(_ configuration: VolumeConfiguration, keeping state: DeviceVolume, keepsLevel: Bool) {
        self.init(configuration)
        if keepsLevel { self.level = state.level }
        self.isMuted = state.isMuted
    }

    /// Takes what a SET_VOLUME carries under `volume`: a level, a mute state, both, or neither.
    mutating func apply(_ request: JSONObject?) -> Change {
        guard let request else { return .refused }
        var wanted = self
        switch request["level"] {
        case nil, .null: break
        case .number(let number) where number.doubleValue.isFinite: wanted.level = Self.clamped(number.doubleValue)
        default: return .refused
        }
        switch request["muted"] {
        case nil, .null: break
        case .bool(let muted): wanted.isMuted = muted
        default: return .refused
        }
        guard self.controlType != .fixed, wanted != self else { return .unchanged }
        self = wanted
        return .changed
    }

    /// Takes what a speaker group says, whatever the kind of control.
    /// - Returns: false when it was the same before.
    mutating func follow(_ order: VolumeOrder) -> Bool {
        let old = self
        if let level = order.level { self.level = Self.clamped(Double(level)) }
        if let isMuted = order.isMuted { self.isMuted = isMuted }
        return self != old
    }

    /// True if senders cannot change it.
    var isFixed: Bool { self.controlType == .fixed }

    /// The volume as a status shows it.
    var payload: ReceiverVolume {
        ReceiverVolume(
            level: Double(self.level), muted: self.isMuted, controlType: self.controlType,
            stepInterval: Double(self.step))
    }

    private static func clamped(_ level: Double) -> Float {
        Float(min(max(level, 0), 1))
    }
}
