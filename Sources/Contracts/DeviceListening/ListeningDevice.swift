package import CastTransport
package import GatewayConfig
package import HTTPServing
package import HummingbirdCore
package import Logging
package import NIOCore

/// A virtual device of any kind, as a ``ListeningService`` runs it.
///
/// The service owns the sockets and the order of things: ``makeDevice()`` comes first and ``disconnect(_:within:)`` last, and addresses are
/// bound in between. The device owns what is behind the sockets. It reads its terms anew for each connection, so that a reload only has
/// to replace them.
package protocol ListeningDevice: AnyObject, Sendable {
    /// The name in `gateway.yaml`.
    var name: String { get }
    /// The log of this device.
    var logger: Logger { get }
    /// The log of senders that are turned away.
    var refusals: RefusalLog { get }
    /// The terms in force.
    var terms: any ListeningTerms { get }
    /// Further facts for the line of the log that says where it listens.
    var metadata: Logger.Metadata { get }

    /// Makes the device on its event loop; called once.
    func makeDevice() async throws
    /// Binds an address for senders.
    /// - Parameters:
    ///   - isAccepting: false leaves senders waiting until the channel's option `autoRead` is set to true.
    ///   - isShared: whether another listener of this process may still hold the address.
    func bind(to address: ListenAddress, isAccepting: Bool, isShared: Bool) async throws -> any Channel
    /// Returns what connections to a set-up listener go by, and what answers their requests.
    func setupService(
        _ kind: SetupKind
    ) throws -> (rules: HTTPListener.Rules, responder: HTTPChannelHandler.Responder)
    /// Begins, since every address is bound; not called again when a reload changes them.
    func begin(at port: Int)
    /// Keeps what the device serves good, until the task is cancelled.
    func maintain() async
    /// Announces the device as it is now.
    func announce(at port: Int) async throws
    /// Takes the announcement back.
    func withdraw() async throws
    /// Gives messages under way time to be decided.
    func drain() async throws
    /// Ends the device, and disconnects its senders for this reason.
    /// - Parameter time: how long they may take to hang up.
    func disconnect(_ reason: String, within time: TimeAmount) async throws
    /// Makes what other terms need; what runs goes on.
    /// - Returns: puts the terms in force; takes the port where senders connect then.
    func prepare(_ terms: any ListeningTerms) async throws -> @Sendable (_ port: Int) async throws -> Void
}

extension ListeningDevice {
    package var metadata: Logger.Metadata { [:] }
    package func begin(at port: Int) {}
    package func maintain() async {}
    package func drain() async throws {}
}

/// The terms of a virtual device: what `gateway.yaml` says of it, and what it shares with others.
package protocol ListeningTerms: Sendable {
    associatedtype Environment: ListeningEnvironment

    /// The name that people see.
    var friendlyName: String { get }
    /// The address where senders connect.
    var listen: ListenAddress { get }
    /// The addresses where its set-up service answers.
    var setup: [SetupKind: ListenAddress] { get }
    /// Everything that it shares with others.
    var environment: Environment { get }
}

/// The part of what virtual devices share that a ``ListeningService`` needs.
package protocol ListeningEnvironment: Sendable {
    /// The event loops on which devices live.
    var eventLoops: any EventLoopGroup { get }
    /// Decides on connections, over all listeners.
    var admission: Admission { get }
    /// Says when the system cannot accept senders for a while.
    var shortage: AcceptShortageLog { get }
}

/// A listener of the set-up service.
package enum SetupKind: Sendable, CaseIterable {
    case http, https
}
