import CastWire

/// Requests and answers of the receiver platform, its status, and its information about the device.
package enum ReceiverPayloadTarget: FuzzTarget {
    /// `receiver`
    package static let name = "receiver"

    /// Reads everything that the input may be.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input), let request = ReceiverRequest(payload) else { return }
        try Self.check(request)
        if let status = ReceiverStatusPayload(payload) { try Self.check(status) }
        if let discovery = DiscoveryPayload(payload) { try Self.check(discovery) }
        try Self.check(availability: AppAvailability(json: request.json))
        let refusal = InvalidRequest(json: request.json)
        try PayloadCheck(refusal).survivesTheWire()
        _ = refusal.reason
    }

    private static func check(_ request: ReceiverRequest) throws {
        let check = PayloadCheck(request)
        try check.survivesTheWire()
        try check.keeps([\.appID])
        try check.keeps([\.sessionID])
        try check.keeps([\.appParams])
        try check.keeps([\.volume])
        _ = (request.kind, request.language, request.supportedAppTypes)
        if let volume = request.volume { try Self.check(volume) }
        guard let id = request.requestID else { return }
        let answer = AppAvailability(of: request.appIDs, requestID: id) { $0.rawValue.utf8.count % 2 == 0 }
        try Self.check(availability: answer)
        for app in answer.availableApps {
            try Violation.unless(request.appIDs.contains(app), "\(app) is available and was not asked for")
        }
    }

    private static func check(availability: AppAvailability) throws {
        try PayloadCheck(availability).survivesTheWire()
        _ = availability.availableApps
    }

    private static func check(_ payload: ReceiverStatusPayload) throws {
        try PayloadCheck(payload).survivesTheWire()
        guard let status = payload.status else { return }
        try PayloadCheck(payload).keeps([\.status])
        let check = PayloadCheck(status)
        try check.keeps([\.applications])
        try check.keeps([\.volume])
        try check.keeps([\.isActiveInput, \.isStandBy])
        if let volume = status.volume { try Self.check(volume) }
        for application in status.applications {
            let check = PayloadCheck(application)
            try check.keeps([\.appID, \.universalAppID])
            try check.keeps([\.appType, \.displayName, \.statusText, \.iconURL, \.sessionID])
            try check.keeps([\.transportID])
            try check.keeps([\.senderConnected])
            try check.keeps([\.isIdleScreen])
            try check.keeps([\.namespaces])
        }
    }

    private static func check(_ volume: ReceiverVolume) throws {
        let check = PayloadCheck(volume)
        try check.keeps([\.level, \.stepInterval])
        try check.keeps([\.muted])
        try check.keeps([\.controlType])
        try Violation.unless(
            volume.level.map((0...1).contains) ?? true, "a level of \(String(describing: volume.level))")
    }

    private static func check(_ payload: DiscoveryPayload) throws {
        try PayloadCheck(payload).survivesTheWire()
        _ = (payload.kind, payload.deviceID, payload.deviceModel, payload.friendlyName, payload.deviceCapabilities)
    }
}
