import CastTransport
package import GatewayOperations
package import Hummingbird
import NIOCore

/// What the routes of a listener know of a request beside the request itself: who sends it, and from where.
package struct CallerContext: RequestContext {
    /// What Hummingbird keeps of a request.
    package var coreContext: CoreRequestContextStorage
    /// The address that the request comes from, without its port; nil on a socket of the file system.
    package let address: String?
    /// Who sends it. Before the caller is known, and in routes that are open to all, one who may do nothing.
    package internal(set) var caller = Caller(name: "nobody", scopes: [])

    /// Whether the caller is known.
    let standing: CallerStatus

    /// Begins with a request of a channel.
    package init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.standing = CallerStatus(source.channel)
        self.address = source.channel.remoteAddress.flatMap { $0.ipAddress == nil ? nil : $0.host }
    }
}

/// Routes of one concern that an HTTP listener offers beside others.
package protocol APIRoutes: Sendable {
    /// Whether callers need not say who they are: documents, for example. `Host` and `Origin` are judged all the same.
    var isOpen: Bool { get }

    /// The routes of operations that it adds.
    var operations: [OperationRoute] { get }
    /// The routes of operations that come and go; asked for whenever that matters.
    var addedOperations: @Sendable () -> [OperationRoute] { get }
    /// The paths that it adds for `GET` beside those, with parts in braces as in ``OperationRoute/path``.
    var pages: [String] { get }
    /// The paths that take a form with `POST`.
    var forms: [String] { get }

    /// Adds the routes; called once for each listener.
    ///
    /// What they are asked has passed the listener's checks, and ``CallerContext/caller`` says who asks. An error of theirs is
    /// answered as a problem detail.
    func add(to router: Router<CallerContext>)
}

extension APIRoutes {
    /// Callers have to say who they are.
    package var isOpen: Bool { false }
    /// It adds none.
    package var operations: [OperationRoute] { [] }
    /// None come and go.
    package var addedOperations: @Sendable () -> [OperationRoute] { { [] } }
    /// It adds none.
    package var pages: [String] { [] }
    /// It adds none.
    package var forms: [String] { [] }
}
