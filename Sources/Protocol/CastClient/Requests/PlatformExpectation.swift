package import CastWire

/// What a request to the platform of a device is to bring about, and whether what the device tells shows it.
///
/// Some devices answer no request by its number, and tell the new state to all senders instead.
package struct PlatformExpectation: Sendable {
    private enum Wish {
        case status
        case members
        case volume(ReceiverVolume)
        case memberVolume(member: String, ReceiverVolume)
        case launch(AppID, before: Set<String>)
        case stop(sessionID: String?)
    }

    /// Devices round levels, some to steps of a hundredth.
    private static let tolerance = 0.01

    private let wish: Wish

    /// Reads a request.
    /// - Parameter status: what the device told last.
    /// - Returns: nil for a request that no state shows.
    package init?(_ request: JSONObject, in namespace: Namespace, after status: ReceiverStatus?) {
        let volume = request.object("volume").map { ReceiverVolume(json: $0) }
        switch (namespace, request.string("type")) {
        case (.receiver, "GET_STATUS"): self.wish = .status
        case (.multizone, "GET_STATUS"): self.wish = .members
        case (.receiver, "SET_VOLUME"):
            guard let volume else { return nil }
            self.wish = .volume(volume)
        case (.multizone, "SET_DEVICE_VOLUME"):
            guard let volume, let member = request.string("deviceId") else { return nil }
            self.wish = .memberVolume(member: Self.canonical(member), volume)
        case (.receiver, "LAUNCH"):
            guard let app = request.string("appId") else { return nil }
            self.wish = .launch(AppID(rawValue: app), before: Set(status?.applications.compactMap(\.sessionID) ?? []))
        case (.receiver, "STOP"): self.wish = .stop(sessionID: request.string("sessionId"))
        default: return nil
        }
    }

    /// Whether the status shows it, as it is now that the device has told of it.
    package func isShown(by status: ReceiverStatus) -> Bool {
        switch self.wish {
        case .status: true
        case .volume(let volume): status.volume.map { Self.isReached(volume, by: $0) } ?? false
        case .launch(let app, let before):
            status.applications.contains { running in
                running.matches(app) && running.sessionID.map { !before.contains($0) } ?? false
            }
        case .stop(let sessionID?): status.application(sessionID: sessionID) == nil
        case .stop(nil): status.applications.allSatisfy(\.isIdleScreen)
        case .members, .memberVolume: false
        }
    }

    /// Whether what a speaker group tells of its members shows it.
    package func isShown(by payload: MultizonePayload) -> Bool {
        switch self.wish {
        case .members: payload.kind == .status && payload.members != nil
        case .memberVolume(let id, let volume):
            (payload.devices + [payload.device].compactMap(\.self)).contains { member in
                guard let told = member.volume, let memberID = member.deviceID else { return false }
                return Self.canonical(memberID) == id && Self.isReached(volume, by: told)
            }
        case .status, .volume, .launch, .stop: false
        }
    }

    /// Devices write ids with dashes and without, in letters of either case.
    private static func canonical(_ id: String) -> String { id.lowercased().filter { $0 != "-" } }

    private static func isReached(_ wanted: ReceiverVolume, by volume: ReceiverVolume) -> Bool {
        if let level = wanted.level {
            let step = volume.stepInterval.map { min(max($0, 0), 0.2) } ?? 0
            guard let reached = volume.level, abs(reached - level) <= max(Self.tolerance, step / 2) + 1e-6 else {
                return false
            }
        }
        return wanted.muted == nil || wanted.muted == volume.muted
    }
}
