import NIOCore

/// Something that happens by itself, and when.
struct PlayerEvent: Equatable {
    enum Kind: Equatable {
        case loaded
        case loadFailed
        case buffered
        case playbackFailed
        case clipEnded
        case clipBecomesSkippable
        case breakReached(planIndex: Int)
        case preloaded(itemID: Int)
        case itemEnded
    }

    let kind: Kind
    let instant: NIODeadline
}
