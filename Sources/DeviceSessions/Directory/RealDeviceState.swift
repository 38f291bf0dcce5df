public import CastClient
public import CastWire
public import GatewayCore
public import NIOCore

/// A real device that the gateway keeps a channel to, as it stood at one moment.
public struct RealDeviceState: Sendable {
    /// An app that runs on it.
    public struct App: Sendable {
        /// The app.
        public let facts: SessionFacts
        /// What it plays: one element of MEDIA_STATUS's `status`; nil when nothing is loaded or it has not said.
        public let media: JSONObject?
        /// Since when.
        public let times: AppTimes
    }

    /// Its name in the gateway.
    public let name: String
    /// Whether it answers.
    public let isOnline: Bool
    /// Since when that is so; nil as long as the device has been neither reached nor missed.
    public let since: NIODeadline?
    /// Why it is out of reach, as the last attempt ended; nil while it is not.
    public let reason: String?
    /// Where it is, or was dialled last.
    public let address: DeviceAddress?
    /// Where it may be, best first.
    public let addresses: [DeviceAddress]
    /// What it told last of itself; nil before it told anything.
    public let status: ReceiverStatus?
    /// What runs on it, without the idle screen; nothing while it is out of reach.
    public let apps: [App]
}

extension DeviceSessionDirectory {
    /// The names of the devices that the gateway keeps a channel to, in order.
    public var channelNames: [String] { self.allEntries.map(\.name) }

    /// How a device stands; nil when the gateway keeps no channel to it, or it does not answer within the patience of the caller.
    public func state(of device: String) async -> RealDeviceState? {
        guard let entry = self.entry(device) else { return nil }
        return await entry.answer { $0.state }
    }

    /// Asks a device for its status, on its channel.
    /// - Returns: what it answers.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, `timeout` when it does not answer
    ///   within 10 s.
    public func askStatus(of device: String) async throws(RequestError) -> JSONObject {
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
    /// How the device stands.
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
