/// Hears of Cast devices in the network. The seam between what Castway makes of it and how it is done.
public protocol ServiceBrowser: Sendable {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, in order, on a thread of the browser's; it must be quick and not block.
    func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void)

    /// Asks for these subtypes too, and no longer for others.
    func ask(for subtypes: Set<ServiceSubtype>)

    /// Asks the network again who is there.
    func scan()

    /// Ends; nothing is told afterwards.
    func stop()
}
