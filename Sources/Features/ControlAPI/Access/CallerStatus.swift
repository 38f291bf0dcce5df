import HTTPServing
import NIOCore
import Synchronization

/// Whether the caller of a request is known, as all that handle the request may ask.
final class CallerStatus: Sendable {
    private let channel: any Channel
    private let known = Atomic(false)

    init(_ channel: any Channel) { self.channel = channel }

    /// Whether it is known.
    var isKnown: Bool { self.known.load(ordering: .relaxed) }

    /// It is known from now on; its connection is told.
    func callerIsKnown() {
        self.known.store(true, ordering: .relaxed)
        CallerKnown.tell(self.channel)
    }
}
