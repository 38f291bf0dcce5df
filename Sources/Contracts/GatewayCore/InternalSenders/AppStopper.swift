package import CastWire

/// Stops apps on virtual devices where rules of the gateway want it, and makes sure that they have ended.
///
/// A device may be out of reach: then the gateway answers for it, while its apps play on. So an answer counts only while what stands
/// behind the virtual device answers for itself. Each call is one try; when to try again is up to the caller.
package struct AppStopper: Sendable {
    /// The handler that judges by rules, so that these do not judge what a stop gives rise to.
    package static let origin = MessageOrigin("rules", from: .own)
    /// The time that a device has to answer.
    private static let patience = Duration.seconds(10)

    private let senders: any InternalSenders
    private let isReachable: @Sendable (_ device: String) -> Bool

    /// - Parameters:
    ///   - senders: speak to the virtual devices.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    package init(_ senders: any InternalSenders, isReachable: @escaping @Sendable (_ device: String) -> Bool) {
        self.senders = senders
        self.isReachable = isReachable
    }

    /// Stops the app of a session; one that has ended already is stopped.
    /// - Throws: ``GatewayError`` with `unavailable` when the device is out of reach or goes on with the app, or as
    ///   ``InternalSenders/send(_:namespace:to:as:wait:)`` does.
    package func stop(_ session: String, on device: String) async throws(GatewayError) {
        var status = try await self.ask(.stop(sessionID: session, requestID: .spontaneous), of: device)
        if status == nil {
            // An app that has ended already is none that the device could stop.
            status = try await self.ask(.getStatus(requestID: .spontaneous), of: device)
        }
        guard let status, status.application(sessionID: session) == nil else {
            throw GatewayError(.unavailable, "the device did not end it")
        }
    }

    /// Asks the platform of a device.
    /// - Returns: its status; nil when it answers something else.
    /// - Throws: as ``stop(_:on:)``.
    package func ask(
        _ request: ReceiverRequest, of device: String, as origin: MessageOrigin = Self.origin
    ) async throws(GatewayError) -> ReceiverStatus? {
        try self.requireReach(of: device)
        let answer = try await self.senders.send(
            request.payload, namespace: .receiver, to: AppAddress(device: device), as: origin, wait: Self.patience)
        try self.requireReach(of: device)
        return answer.flatMap { ReceiverStatusPayload($0)?.status }
    }

    private func requireReach(of device: String) throws(GatewayError) {
        guard self.isReachable(device) else { throw GatewayError(.unavailable, "the device is out of reach") }
    }
}
