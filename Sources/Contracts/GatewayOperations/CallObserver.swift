/// Learns of calls by every way in, as they begin and end.
package protocol CallObserver: Sendable {
    /// A call begins; it goes on when this returns.
    func callBegins() async

    /// The call has ended, or its caller waits no more.
    func callEnds()
}
