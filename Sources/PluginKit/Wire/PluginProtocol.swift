/// The numbers that both ends of a plugin's wire agree on.
public enum PluginProtocol {
    /// The versions that this build speaks.
    public static let versions = 1...1
    /// The longest line, in bytes without its newline: a message of 64 KiB whose every byte takes six, and what is
    /// around it, fit.
    public static let maximumLineLength = 1_048_576
    /// Above so many bytes without a newline a peer is not taken for one that speaks the protocol.
    public static let maximumUnfinishedLength = 8_388_608
    /// From so many bytes on lines are written even when more are to come at once, so that both ends work at the same time.
    public static let batchLength = 4_096
    /// How many messages may be unanswered, unless the plugin asks for fewer.
    public static let defaultMaximumInFlight = 32
    /// The exit code of a plugin that cannot work with its configuration; it is not started again before a reload.
    public static let exitCodeConfiguration: Int32 = 78
}
