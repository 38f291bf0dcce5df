/// How a device's volume can be changed (protocol notes, 5.2).
public enum VolumeControlType: String, Hashable, Sendable, CaseIterable {
    /// In steps of its own, the usual kind.
    case attenuation
    /// Together with the system's volume, as televisions do.
    case master
    /// Not at all.
    case fixed
}
