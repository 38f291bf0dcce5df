import CastTransport
import NIOCore
import NIOPosix

/// Dials a device, and hangs up as soon as TLS stands.
struct TLSProbe: Sendable {
    /// How long TCP and TLS may take together.
    let timeout: Duration

    func outcome(host: String, port: Int) async -> StaticDeviceCheck.Outcome {
        let time = TimeAmount(self.timeout)
        let pipeline = CastPipeline(
            role: .sender, heartbeat: .init(interval: .seconds(60), timeout: .seconds(120)), handshakeTimeout: time)
        let dialer: CastDialer
        do {
            dialer = try CastDialer(pipeline: pipeline, timeout: time)
        } catch {
            return .withoutTLS("\(error)")
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let outcome = loop.flatSubmit {
            let promise = loop.makePromise(of: StaticDeviceCheck.Outcome.self)
            let owner = TLSProbeOwner(promise)
            let bound = NIOLoopBound(owner, eventLoop: loop)
            dialer.dial(host: host, port: port, on: loop, delegate: owner).whenComplete { result in
                switch result {
                case .success: bound.value.isConnected = true
                case .failure(let error): promise.succeed(.unreachable(TransportError.text(of: error)))
                }
            }
            let late = loop.scheduleTask(in: time) {
                let reason = "no answer in time"
                promise.succeed(bound.value.isConnected ? .withoutTLS(reason) : .unreachable(reason))
            }
            promise.futureResult.whenComplete { _ in late.cancel() }
            return promise.futureResult
        }
        return (try? await outcome.get()) ?? .unreachable("it could not be tried")
    }
}
