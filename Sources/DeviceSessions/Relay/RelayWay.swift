import CastWire
import GatewayCore

/// The way that messages with the same names take through a relay: found out for the first of a run, and then followed
/// by all that have the very same ``MessageNames``.
final class RelayWay {
    /// What the messages are called where they come from.
    let names: MessageNames
    /// The sender's end.
    let north: SenderIDs.North
    /// What they are called where they go to; nil until the first of them goes.
    var renamed: MessageNames?

    init(names: MessageNames, north: SenderIDs.North, renamed: MessageNames? = nil) {
        self.names = names
        self.renamed = renamed
        self.north = north
    }
}
