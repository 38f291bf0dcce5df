/// What a viewer thinks of the media (protocol notes, 6.2).
public struct UserAction: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Likes it.
    public static let like = UserAction(rawValue: "LIKE")
    /// Does not.
    public static let dislike = UserAction(rawValue: "DISLIKE")
    /// Follows.
    public static let follow = UserAction(rawValue: "FOLLOW")
    /// Does not follow any more.
    public static let unfollow = UserAction(rawValue: "UNFOLLOW")
    /// Marks it.
    public static let flag = UserAction(rawValue: "FLAG")
    /// Skips the clip of a break.
    public static let skipAd = UserAction(rawValue: "SKIP_AD")

    /// True for the actions of the protocol.
    public var isKnown: Bool { [.like, .dislike, .follow, .unfollow, .flag, .skipAd].contains(self) }
    /// The action that this one takes back, if there is one.
    public var opposite: UserAction? {
        switch self {
        case .like: .dislike
        case .dislike: .like
        case .follow: .unfollow
        case .unfollow: .follow
        default: nil
        }
    }
}
