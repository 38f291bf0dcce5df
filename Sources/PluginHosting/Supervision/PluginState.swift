/// How far a plugin is. Raw values are shown and never change.
public enum PluginState: String, Sendable, Hashable, CaseIterable {
    /// Its manifest was read and checked; it has not been started.
    case verified
    /// Its process is being started, or says its first words.
    case starting
    /// It answers messages.
    case ready
    /// It answers messages, and says that something is not as it should be.
    case degraded
    /// It ends what it is doing, and is given nothing new.
    case draining
    /// It ended, and is not started again by itself.
    case stopped
    /// It crashed, and is started again after a pause.
    case backoff
    /// It crashed again and again, and is tried at long intervals.
    case crashlooped
    /// Somebody switched it off.
    case disabled
}
