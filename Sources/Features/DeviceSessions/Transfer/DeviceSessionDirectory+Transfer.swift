package import CastClient
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

extension DeviceSessionDirectory {
    /// Moves what a session plays to another device, and its app with it.
    ///
    /// The app is started there with the launch options of the session, and the feature `STREAM_TRANSFER`; the session ends
    /// when the other device plays. Otherwise it goes on. The new session is told as one that is resumed with the cause `transfer`.
    /// - Parameters:
    ///   - device: the other device, by the name that ``startSession(device:app:options:)`` takes.
    ///   - timeout: How long it may take until the other device plays.
    /// - Returns: the session on the other device, and how it came there.
    /// - Throws: ``TransferFailure``.
    package func transfer(
        _ session: CastSession, to device: String, timeout: Duration = .seconds(60)
    ) async throws(TransferFailure) -> (session: CastSession, result: TransferResult) {
        guard let facts = try? await session.facts else {
            throw TransferFailure(reason: .storeState, message: "the session is over", wasRolledBack: nil)
        }
        let app = facts.app?.universalAppID ?? facts.appID
        let host = session.host
        var options = (try? await host.eventLoop.submit { host.value.record?.options }.get()) ?? LaunchOptions()
        if !options.requiredFeatures.contains(Self.transferFeature) {
            options.requiredFeatures.append(Self.transferFeature)
        }
        let launch = options
        let started = Current<CastSession?>(nil)
        let transfer = StreamTransfer(
            from: .device(client: session.media) {
                do {
                    try await session.end(.stop)
                    return true
                } catch {
                    return false
                }
            },
            to: .device {
                let other = try await self.session(
                    with: device,
                    .begin {
                        $0.startSession(number: $1, app: app, options: launch, previousDevice: session.device)
                    }, orElse: .unknownDevice(device))
                started.set(other)
                return other.media
            }, timeout: timeout)
        do throws(TransferFailure) {
            let result = try await transfer.run()
            guard let other = started.value else {
                throw TransferFailure(reason: .target, message: "the other device has no session", wasRolledBack: nil)
            }
            return (other, result)
        } catch {
            // The session on the other device was started for the transfer alone.
            try? await started.value?.end(.leave)
            throw error
        }
    }

    private static let transferFeature = "STREAM_TRANSFER"
}
