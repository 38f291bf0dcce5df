import CastTransport
import CastWire
import NIOCore

/// The owner of one probing channel.
final class TLSProbeOwner: CastConnectionDelegate {
    private let promise: EventLoopPromise<StaticDeviceCheck.Outcome>
    /// Whether TCP stands; a name with several addresses has channels that end before.
    var isConnected = false

    init(_ promise: EventLoopPromise<StaticDeviceCheck.Outcome>) {
        self.promise = promise
    }

    func connectionReady(_ connection: CastConnection) {
        self.promise.succeed(.reached)
        connection.close("it was only to be seen whether it answers")
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {}

    func connectionReadComplete(_ connection: CastConnection) {}

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        guard self.isConnected else { return }
        self.promise.succeed(.withoutTLS(reason?.description ?? "it hung up"))
    }
}
