package import CastWire
import NIOCore
import ServiceLifecycle

/// Carries messages of the outbox to apps that did not run when a caller sent them.
///
/// Each device has its lane, so messages wait for the app of one device and not for one another. Runs as a service, in whose tasks they are
/// sent.
package final class AppCarrier: MessageCarrier, Service, CustomStringConvertible {
    /// The destination of such messages in the outbox.
    package static let destination = "app"

    package typealias Send =
        @Sendable (_ payload: CastMessage.Payload, _ namespace: Namespace, _ device: String) async -> DeliveryOutcome

    private struct Job: Sendable {
        let message: OutboxMessage
        let completion: @Sendable (DeliveryOutcome) -> Void
    }

    private enum Kind {
        static let text = "message.text"
        static let binary = "message.binary"
    }

    private static let concurrency = 64

    private let send: Send
    private let jobs: AsyncStream<Job>
    private let input: AsyncStream<Job>.Continuation

    /// - Parameter send: sends one; says ``DeliveryOutcome/absent(_:)`` when the app does not run.
    package init(_ send: @escaping Send) {
        self.send = send
        // Bounded by what the outbox has under way.
        (self.jobs, self.input) = AsyncStream.makeStream()
    }

    package var description: String { "messages for apps" }

    package var asDestination: Outbox.Destination {
        let settings = DestinationSettings { settings in
            settings.order = .device(concurrency: Self.concurrency, isStrict: true)
            settings.retry = .short
            settings.deadAge = .seconds(86_400)
            settings.deadSize = 4 << 20
        }
        return Outbox.Destination(Self.destination, settings, carrier: self)
    }

    /// A message for an app, for the outbox.
    /// - Parameter instant: now, in milliseconds since 1970.
    package static func draft(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String, keptFor time: Duration,
        at instant: Int64
    ) -> OutboxDraft {
        let bytes = payload.bytes
        let isText = if case .text = payload { true } else { false }
        return OutboxDraft(
            to: Self.destination, device: device, type: isText ? Kind.text : Kind.binary, takenAt: instant,
            address: namespace.rawValue, expires: instant + Int64(time.components.seconds) * 1000,
            size: bytes.readableBytes, body: { bytes })
    }

    /// Apps are watched by ``Outbox/resume(_:device:)``, so there is nothing to keep.
    package func begin(_ resume: @escaping @Sendable () -> Void) {}

    package func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard case .enqueued = self.input.yield(Job(message: message, completion: completion)) else {
            return completion(.unavailable("the gateway stops"))
        }
    }

    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await job in self.jobs {
                    group.addTask { job.completion(await self.send(job.message)) }
                }
            }
        } onGracefulShutdown: {
            self.input.finish()
        }
    }

    private func send(_ message: OutboxMessage) async -> DeliveryOutcome {
        guard let device = message.device, let namespace = message.address else {
            return .refused("the message names no device")
        }
        let payload: CastMessage.Payload =
            message.type == Kind.binary ? .binary(message.body) : .text(message.body)
        return await self.send(payload, Namespace(rawValue: namespace), device)
    }
}
