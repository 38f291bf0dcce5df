/// What an end of the wire can do beyond the first day of the protocol's version; told in `initialize`.
public enum PluginFeature {
    /// The verdict `defer` and `message.complete`.
    public static let deferral = "defer"
    /// The time of `initialize` and of `clock.advance` instead of the machine's: for tests.
    public static let testClock = "test.clock"
}
