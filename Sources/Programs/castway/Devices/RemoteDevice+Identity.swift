import CastClient
import CastDiscovery
import CastWire

extension RemoteDevice {
    /// How long a device has to say which one it is; then nothing is known of it.
    private static let identityTimeout = Duration.seconds(2)

    /// Asks which device this is, as the gateway does with real devices.
    func identity(_ expected: ExpectedDevice) async -> IdentityOutcome {
        let question = DiscoveryPayload.getDeviceInfo(requestID: .spontaneous).json
        guard
            let answer = try? await self.request(
                question, in: .discovery, to: .platformReceiver, timeout: Self.identityTimeout),
            let id = DiscoveryPayload(answer.payload)?.deviceID.flatMap({ DeviceID($0) })
        else { return .silent }
        if id == expected.id { return .confirmed }
        guard expected.isGroup != false else { return .other(id) }
        // A group may answer with the id of the device that leads it.
        let members = try? await self.request(
            MultizonePayload.getStatus(requestID: .spontaneous).json, in: .multizone, to: .platformReceiver,
            timeout: Self.identityTimeout)
        let isGroup = members.flatMap { MultizonePayload($0.payload) }.map { !$0.devices.isEmpty } ?? false
        return isGroup ? .leader(id) : .other(id)
    }
}

extension CastPlace {
    /// Finds out whether the device that is meant is at the other end, before anything else is sent there.
    /// - Throws: ``CommandFailure`` when it is another one.
    func checkIdentity(of device: RemoteDevice) async throws(CommandFailure) {
        guard let identity, case .other(let id) = await device.identity(identity) else { return }
        throw CommandFailure(
            .refused, "another device answers at \(self): its id is \(id), not \(identity.id); nothing was sent to it")
    }
}
