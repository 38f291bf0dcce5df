/// Which way a message travels.
public enum MessageDirection: String, Sendable, Hashable, CaseIterable {
    /// From a sender to what the virtual device stands for.
    case toReceiver = "to_receiver"
    /// From what the virtual device stands for to one sender or all.
    case toSender = "to_sender"
}
