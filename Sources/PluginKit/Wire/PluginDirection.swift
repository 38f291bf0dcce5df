/// Which way a message travels.
public enum PluginDirection: String, Hashable, Sendable, CaseIterable {
    /// From a sender to the device.
    case toReceiver = "to_receiver"
    /// From the device to one sender or all.
    case toSender = "to_sender"
}
