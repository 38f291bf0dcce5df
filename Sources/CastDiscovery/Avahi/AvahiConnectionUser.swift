/// What lives from the connection to the Avahi daemon. Every call comes on the Avahi thread.
protocol AvahiConnectionUser: AnyObject {
    /// The daemon is there; what is made from the client works.
    func connected(_ client: OpaquePointer, on thread: AvahiThread)

    /// The host has a name, so announcements can be made.
    func running(_ client: OpaquePointer)

    /// The host is between two names: what was announced has to be withdrawn.
    func unnamed()

    /// Everything that was made from the client is gone, or soon will be: it must not be touched any more.
    func blocked(reason: String)
}
