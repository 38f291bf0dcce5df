/// What a listener has to tell.
public enum AnnouncementEvent: Hashable, Sendable {
    /// A device was heard; told at most once a second of each.
    case announced(Announcement)
    /// Nothing can be heard somewhere, for this reason. Told once; it is tried again all the same.
    case blocked(reason: String)
}
