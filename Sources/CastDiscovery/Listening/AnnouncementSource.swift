/// Hears devices announce themselves, also when they say what is known already. Belongs to one event loop, and is
/// touched there only.
public protocol AnnouncementSource: AnyObject {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, on the event loop.
    func start(_ sink: @escaping (AnnouncementEvent) -> Void)

    /// Ends; nothing is told afterwards.
    func stop()
}
