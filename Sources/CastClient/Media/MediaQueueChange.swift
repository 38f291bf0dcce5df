/// A change of a queue, in terms of places in ``MediaQueue/itemIDs``.
public enum MediaQueueChange: Hashable, Sendable {
    /// Everything may be different.
    case reloaded
    /// Items stand at these places that were not there.
    case inserted(Range<Int>)
    /// The items at these places, counted before the change, are gone.
    case removed([Int])
    /// The same items stand in another order.
    case reordered
    /// The items at these places are known now, or have other contents.
    case updated([Int])
    /// The receiver says that its queue changed, and nobody follows it.
    case outdated
}
