import CastClient
import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import VirtualDevices

/// `virtual_device.get`
struct GetVirtualDevice: GatewayOperation {
    static let name: OperationName = "virtual_device.get"
    static let route = OperationRoute(.get, "/virtual-devices/{device}")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows one virtual device, with its senders and what runs on it"
    static let result = ConnectedVirtualDeviceResult.result("The virtual device")
    static let problems = DeviceProblem.virtual

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneVirtualDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.virtualDevice(input.device, for: caller)
        return ConnectedVirtualDeviceResult.json(try await self.feature.virtualDevice(device))
    }
}

/// `virtual_device.launch`
struct LaunchOnVirtualDevice: GatewayOperation {
    struct Input: RuledInput {
        var device = DeviceReference("")
        var app = ""
        var language: String?
        var parameters: JSONValue?

        static let keys: [Key] = [
            .virtualDevice(\.device),
            .required("app", \.app, .appID, "The app", example: "CC1AD845"),
            .optional(
                "language", \.language, .text(allowed: "A-Za-z0-9-", length: 1...35), "The language tag (RFC 5646)",
                example: "de-DE"),
            .optional("params", \.parameters, .json, "Parameters for the app, any JSON: `appParams` of the LAUNCH"),
        ]

        static let rules: [InputRule] = [.launchableApp]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "virtual_device.launch"
    static let route = OperationRoute(.post, "/virtual-devices/{device}/launch")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Launches an app on a virtual device, as a sender does"
    static let details =
        "The LAUNCH passes the handlers as one of a sender, so that rules judge it and `launch` fills in credentials. Nothing keeps the app "
        + "alive: a built-in receiver with `idle_timeout` ends it when no sender joins."
    static let result = LaunchedAppResult.result("What runs")
    static let problems =
        DeviceProblem.virtual + DeviceProblem.asking + [
            OperationProblemCase("application_not_found", 404, "the device does not have the app")
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let name = try self.feature.resolver.virtualDevice(input.device, for: caller).name
        let app = AppID(rawValue: input.app)
        var request = ReceiverRequest.launch(app, language: input.language, requestID: .spontaneous)
        request.json["appParams"] = input.parameters
        let answer = try await self.feature.ask(request, of: name, within: .seconds(30))
        let running = ReceiverStatusPayload(json: answer).status?.applications ?? []
        guard let session = running.first(where: { $0.appID == app || $0.universalAppID == app })?.sessionID else {
            throw OperationProblem(deviceFailure: .applicationNotFound, "the device answers without the app")
        }
        let overview = await self.feature.running.overview(of: name)
        guard let launched = overview?.apps.first(where: { $0.facts.sessionID == session }) else {
            throw OperationProblem(deviceFailure: .cancelled, "the app ended as soon as it was launched")
        }
        return LaunchedAppResult.json((launched, self.feature.context))
    }
}

/// `virtual_device.stop`
struct StopVirtualDevice: GatewayOperation {
    static let name: OperationName = "virtual_device.stop"
    static let route = OperationRoute(.post, "/virtual-devices/{device}/stop")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Stops the app that runs on a virtual device, as a sender does"
    static let result = StoppedAppResult.result("What ran")
    static let problems =
        DeviceProblem.virtual + DeviceProblem.asking + [
            OperationProblemCase("invalid_state", 409, "no app runs on the device")
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneVirtualDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let name = try self.feature.resolver.virtualDevice(input.device, for: caller).name
        guard let app = await self.feature.running.overview(of: name)?.apps.first else {
            throw OperationProblem(deviceFailure: .invalidState, "no app runs on '\(name)'")
        }
        let stop = ReceiverRequest.stop(sessionID: app.facts.sessionID, requestID: .spontaneous)
        _ = try await self.feature.ask(stop, of: name, within: .seconds(10))
        return StoppedAppResult.json((app, self.feature.context))
    }
}

/// An app that was launched.
private struct LaunchedAppResult: ResultRecord {
    typealias Source = (app: VirtualDeviceOverview.App, context: GatewayContext)

    let app = Field("app", AppDescription.self, "The app that was launched") {
        .init(app: $0.app.facts, media: $0.app.media, times: $0.app.times, context: $0.context)
    }

    static let layout = ResultLayout(LaunchedAppResult())
}

/// An app that was stopped.
private struct StoppedAppResult: ResultRecord {
    typealias Source = (app: VirtualDeviceOverview.App, context: GatewayContext)

    let app = Field("app", AppDescription.self, "The app that was stopped, as it stood before") {
        .init(app: $0.app.facts, media: $0.app.media, times: $0.app.times, context: $0.context)
    }

    static let layout = ResultLayout(StoppedAppResult())
}

extension OverviewFeature {
    /// Asks the platform of a virtual device something, as one more sender of it.
    /// - Returns: the answer.
    /// - Throws: what the device refuses with; `timeout`; `unavailable`.
    func ask(
        _ request: ReceiverRequest, of device: String, within time: Duration
    ) async throws(OperationProblem) -> JSONObject {
        let payload: CastMessage.Payload?
        do throws(GatewayError) {
            payload = try await self.senders.send(
                request.payload, namespace: .receiver, to: AppAddress(device: device),
                as: MessageOrigin("api", from: .api),
                wait: time)
        } catch {
            throw OperationProblem(virtualDevice: error)
        }
        guard let answer = payload?.jsonObject else {
            throw OperationProblem(deviceFailure: .invalidResponse, "the answer is no JSON object")
        }
        if let refusal = RequestError(reply: answer) { throw OperationProblem(refusal) }
        return answer
    }
}
