import CastWire
import GatewayCore
import GatewayOperations
package import GatewaySettings
package import MessageBridges
package import NamespaceHandlers
import Synchronization
import VirtualDevices

/// Where messages of callers enter channels: judges them by the channel's rules, and keeps them when the app does not run.
package final class ChannelIngress: Sendable {
    private let outbox: Outbox
    private let refusals: ChannelRefusals
    private let entrances: Mutex<ChannelEntrances>

    /// - Parameter refusals: counts what is not taken.
    package init(_ configuration: GatewayConfiguration, outbox: Outbox, refusals: ChannelRefusals) {
        self.outbox = outbox
        self.refusals = refusals
        self.entrances = Mutex(configuration.entrances(refusals))
    }

    /// Takes over the channels of a new configuration.
    package func configure(_ configuration: GatewayConfiguration) {
        let entrances = configuration.entrances(self.refusals)
        self.entrances.withLock { $0 = entrances }
    }

    /// Judges a message of a caller.
    /// - Returns: what becomes of it when the app does not run.
    /// - Throws: the problems of ``problems``.
    func admit(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String, on leg: MessageLeg = .sender,
        from caller: Caller
    ) throws(OperationProblem) -> ChannelAbsence {
        let way: ChannelConfiguration.Entrance = caller.isBroker ? .mqtt : .api
        do throws(ChannelEntrances.Refusal) {
            return try self.entrances.withLock { $0 }
                .admit(payload, in: namespace, to: device, on: leg, by: way, caller: caller.name)
        } catch {
            switch error {
            case .notAccepted:
                throw OperationProblem(
                    "not_accepted", status: 403, "the channel '\(namespace)' accepts nothing by \(way.rawValue)")
            case .unfit(.tooBig(let size)):
                throw OperationProblem(deviceFailure: .messageTooBig, "the channel takes messages of \(size) bytes")
            case .unfit(.wrongFormat(let format)):
                throw OperationProblem(
                    "wrong_format", status: 422, "the channel takes \(format.rawValue) only")
            case .unfit(.tooMany(let count)):
                throw OperationProblem(
                    "rate_limited", status: 429, "the channel takes \(count) messages a second of a caller",
                    members: ["retry_after": 1])
            }
        }
    }

    /// Keeps a message for an app that does not run; returns when it is on disk.
    /// - Parameter device: with its kind: `virtual:hall`.
    /// - Returns: the message's id.
    /// - Throws: `kept_too_many` (409), `unavailable` (503).
    func keep(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String, for time: Duration, atMost: Int
    ) async throws(OperationProblem) -> String {
        let count = try await OutboxProblem.translating {
            try await self.outbox.count(for: AppCarrier.destination, device: device)
        }
        guard count < atMost else {
            throw OperationProblem(
                "kept_too_many", status: 409, "\(count) messages are kept for \(device) already")
        }
        let draft = AppCarrier.draft(
            payload, in: namespace, to: device, keptFor: time, at: self.outbox.now)
        let outcome = await withCheckedContinuation { continuation in
            do throws(Outbox.Refusal) {
                try self.outbox.take([draft]) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        switch outcome {
        case .success(let ids): return ids.first ?? ""
        case .failure(.full):
            throw OperationProblem("kept_too_many", status: 409, "as much is kept for apps as may be")
        case .failure(let refusal):
            throw OperationProblem("unavailable", status: 503, "the message cannot be kept: \(refusal)")
        }
    }

    /// A message was not sent for this reason: counted when the app of a channel does not run.
    func note(
        _ problem: OperationProblem, in namespace: Namespace, to device: String, on leg: MessageLeg = .sender
    ) {
        guard problem.isAbsence || problem.code == "kept_too_many" else { return }
        self.entrances.withLock { $0 }.absent(in: namespace, on: device, leg: leg)
    }

    /// Says whether a new message has to wait behind messages that are kept for the device. True also while the outbox cannot tell, as
    /// right after a start.
    func isKeeping(for device: String) async -> Bool {
        guard !self.outbox.isOpening else { return true }
        guard let count = try? await self.outbox.count(for: AppCarrier.destination, device: device) else { return true }
        return count > 0
    }

    /// What operations on messages have beside the problems of devices, and `rate_limited`, which all have.
    static let problems = [
        OperationProblemCase("not_accepted", 403, "the channel of the namespace takes nothing by this way"),
        OperationProblemCase("wrong_format", 422, "the channel takes another format"),
        OperationProblemCase("kept_too_many", 409, "the app does not run, and no more messages are kept for it"),
    ]
}

extension GatewayConfiguration {
    /// The channels as callers meet them.
    fileprivate func entrances(_ refusals: ChannelRefusals) -> ChannelEntrances {
        ChannelEntrances(self.channels, devices: self.virtualDevices.map(\.name), refusals: refusals)
    }

    /// Whether messages may have to be kept for apps that do not run.
    var keepsMessages: Bool {
        self.channels.contains { if case .keep = $0.whenAbsent { true } else { false } }
    }
}
