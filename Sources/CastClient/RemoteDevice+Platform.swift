public import CastWire

extension RemoteDevice {
    /// What the device tells of itself.
    /// - Throws: ``SenderError``.
    @discardableResult
    public func status() async throws(SenderError) -> ReceiverStatusPayload {
        try await self.platformRequest(["type": "GET_STATUS"])
    }

    /// Changes the device's volume; parts that are absent stay as they are.
    /// - Returns: the status afterwards.
    /// - Throws: ``SenderError``.
    @discardableResult
    public func setVolume(_ volume: ReceiverVolume) async throws(SenderError) -> ReceiverStatusPayload {
        try await self.platformRequest(["type": "SET_VOLUME", "volume": .object(volume.json)])
    }

    /// Stops a session, or whatever runs when none is named.
    /// - Returns: the status afterwards.
    /// - Throws: ``SenderError``.
    @discardableResult
    public func stop(sessionID: String? = nil) async throws(SenderError) -> ReceiverStatusPayload {
        var request: JSONObject = ["type": "STOP"]
        if let sessionID { request["sessionId"] = .string(sessionID) }
        return try await self.platformRequest(request)
    }

    /// Joins an app that runs, or launches it (protocol notes, 8.1).
    /// - Parameter whileAsking: called once when the device asks its user whether the app may be launched.
    /// - Throws: ``SenderError/launchRefused(app:reason:)`` and the others.
    public func run(
        _ id: AppID, whileAsking: @escaping @Sendable () -> Void = {}
    ) async throws(SenderError) -> RemoteApp {
        if let running = try await self.status().status?.application(id), running.transportID != nil {
            return try await self.join(running)
        }
        return try await self.launch(id, whileAsking: whileAsking)
    }

    /// Launches an app and joins it. A launch that another one has cancelled is tried once more.
    ///
    /// A device that asks its user gets ``SenderOptions/startTimeout`` once more, from the moment at which it says so.
    /// - Parameter whileAsking: called once when the device asks its user whether the app may be launched.
    /// - Throws: ``SenderError/launchRefused(app:reason:)`` and the others.
    public func launch(
        _ id: AppID, whileAsking: @escaping @Sendable () -> Void = {}
    ) async throws(SenderError) -> RemoteApp {
        var answer = try await self.answerToLaunch(of: id, whileAsking)
        if let error = LaunchError(answer.payload), error.type == LaunchError.type, error.reason == .cancelled {
            // Whoever is cancelled meanwhile hears so from the next request.
            try? await Task.sleep(for: self.options.relaunchPause)
            answer = try await self.answerToLaunch(of: id, whileAsking)
        }

        if let error = LaunchError(answer.payload), error.type == LaunchError.type {
            let words = [error.reason?.rawValue, error.extendedError].compactMap(\.self)
            throw .launchRefused(app: id, reason: words.isEmpty ? "no reason given" : words.joined(separator: ", "))
        }
        if let status = LaunchStatus(answer.payload), status.type == LaunchStatus.type {
            throw .launchRefused(app: id, reason: status.state?.rawValue ?? "no reason given")
        }
        let status = try Self.receiverStatus(in: answer)
        guard let app = status.status?.application(id) else { throw .appNotRunning(id) }
        return try await self.join(app)
    }

    private func answerToLaunch(
        of id: AppID, _ whileAsking: @escaping @Sendable () -> Void
    ) async throws(SenderError) -> CastMessage {
        try await self.request(
            ["type": "LAUNCH", "appId": .string(id.rawValue)], in: .receiver, to: .platformReceiver,
            timeout: self.options.startTimeout, whileAsking: whileAsking,
            orTaking: { message in
                if let status = ReceiverStatusPayload(message.payload)?.status {
                    return status.application(id)?.transportID != nil
                }
                return LaunchStatus(message.payload)?.state == .userNotAllowed
            })
    }

    /// Opens the virtual connection to an app that runs.
    /// - Throws: ``SenderError/appNotRunning(_:)`` when the app has no transport id.
    public func join(_ application: ReceiverApplication) async throws(SenderError) -> RemoteApp {
        guard let transportID = application.transportID else { throw .appNotRunning(application.appID ?? "") }
        await self.open(transportID)
        return RemoteApp(device: self, application: application, transportID: transportID)
    }

    /// Joins the app that plays media, whichever it is.
    /// - Throws: ``SenderError/noMediaApp`` and the others.
    public func joinMediaApp() async throws(SenderError) -> RemoteApp {
        let apps = try await self.status().status?.applications ?? []
        guard let app = apps.first(where: { !$0.isIdleScreen && $0.namespaces.contains(.media) }) else {
            throw .noMediaApp
        }
        return try await self.join(app)
    }

    private func platformRequest(_ request: JSONObject) async throws(SenderError) -> ReceiverStatusPayload {
        try Self.receiverStatus(in: await self.request(request, in: .receiver, to: .platformReceiver))
    }

    private static func receiverStatus(in answer: CastMessage) throws(SenderError) -> ReceiverStatusPayload {
        guard let json = answer.payload.jsonObject else { throw .refused(type: "no JSON", reason: nil) }
        let status = ReceiverStatusPayload(json: json)
        guard status.status != nil else {
            throw .refused(type: status.type ?? "no type", reason: json.string("reason"))
        }
        return status
    }
}
