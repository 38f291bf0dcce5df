/// What a browser has to tell.
public enum BrowseEvent: Hashable, Sendable {
    /// Devices can be heard from now on.
    case browsing
    /// Nothing can be heard, for this reason; what was seen before may be gone by now, and nobody will say so.
    case blocked(reason: String)
    /// A device was heard, or says something else than before.
    case seen(ServiceSighting)
    /// A device said goodbye or has not been heard for too long.
    case gone(ServiceSighting.Key)
    /// Whoever is there has answered, as far as one can tell.
    case settled
}
