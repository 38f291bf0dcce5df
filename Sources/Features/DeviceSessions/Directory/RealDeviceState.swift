package import CastClient
package import CastWire
package import GatewayCore
package import NIOCore

/// A real device that the gateway keeps a channel to, as it stood at one moment.
package struct RealDeviceState: Sendable {
    package struct App: Sendable {
        package let facts: SessionFacts
        /// The media: one element of MEDIA_STATUS's `status`; nil when nothing is loaded or it has not said.
        package let media: JSONObject?
        package let times: AppTimes
    }

    /// The device's name in the gateway.
    package let name: String
    /// True if it answers.
    package let isOnline: Bool
    /// Since when that is so; nil as long as the device has been neither reached nor missed.
    package let since: NIODeadline?
    /// The reason it is out of reach, as the last attempt ended; nil while it is not.
    package let reason: String?
    /// The address in use, or dialled last.
    package let address: DeviceAddress?
    /// The candidates, best first.
    package let addresses: [DeviceAddress]
    /// The device's last status; nil before it told anything.
    package let status: ReceiverStatus?
    /// The apps that run, without the idle screen; none while the device is out of reach.
    package let apps: [App]
}

extension DeviceSessionDirectory {
    /// The names of the devices that the gateway keeps a channel to, in order.
    package var channelNames: [String] { self.allEntries.map(\.name) }

    /// Returns the state of a device; nil when the gateway keeps no channel to it, or it does not answer within the patience of
    /// the caller.
    package func state(of device: String) async -> RealDeviceState? {
        guard let entry = self.entry(device) else { return nil }
        return await entry.answer { $0.state }
    }

    /// Asks a device for its status, on its channel.
    /// - Returns: what it answers.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, `timeout` when it does not answer
    ///   within 10 s.
    package func askStatus(of device: String) async throws(RequestError) -> JSONObject {
        guard let entry = self.entry(device) else {
            throw RequestError(.deviceNotConnected, "there is no channel to a device named \(device)")
        }
        let outcome: RequestOutcome
        do {
            outcome = try await entry.eventLoop.flatSubmit {
                entry.session.value.platform.call(
                    ReceiverRequest.getStatus(requestID: .spontaneous).json, in: .receiver)
            }.get()
        } catch {
            throw RequestError(.deviceNotConnected, "the gateway stops")
        }
        return try outcome.get()
    }
}

extension DeviceSession {
    fileprivate var state: RealDeviceState {
        let standing = self.link.standing
        let apps = self.isOnline ? self.platform.apps : []
        return RealDeviceState(
            name: self.name, isOnline: self.isOnline, since: standing.since, reason: standing.reason,
            address: self.link.address, addresses: self.link.candidates.all, status: self.platform.status,
            apps: apps.map {
                RealDeviceState.App(
                    facts: $0, media: self.platform.mediaStatus(at: $0.transportID),
                    times: self.platform.times(of: $0))
            })
    }
}
