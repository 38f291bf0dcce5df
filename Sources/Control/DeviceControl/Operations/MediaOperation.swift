import CastClient
import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations

/// What an operation takes that is about one device.
protocol DeviceInput: OperationInput {
    var device: DeviceReference { get }
}

/// An operation that is one command to the app that plays media: it is answered when the app has carried it out, with how the
/// media stands then.
protocol MediaOperation: DeviceControlOperation where Input: DeviceInput {
    var controls: DeviceControls { get }

    /// What the app is asked for.
    func command(_ input: Input) throws(OperationProblem) -> MediaCommand
}

extension MediaOperation {
    static var scope: OperationScope { .control }
    static var isCommand: Bool { true }
    static var reach: OperationReach { .device }
    static var details: String { Self.sessionStays }
    /// What becomes of the session that a command goes through.
    static var sessionStays: String {
        "Without a session of the gateway's own with a real device, one joins the app, and stays until it is ended."
    }
    static var result: OperationResult { MediaResult.result("How the media stands then") }
    static var problems: [OperationProblemCase] { DeviceProblem.media }

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let media = try await device.perform(try self.command(input)).media
        return MediaResult.json(device, media)
    }
}

/// Names a device, with something that the app is to be told.
struct MediaInput: DeviceInput {
    var device = DeviceReference("")
    var customData: JSONValue?

    static let keys: [Key] = [.device(\.device), .customData(\.customData)]

    init(blank: ConfigBlank) {}
}

extension ConfigKey {
    /// The key `custom_data` of a command to an app.
    static func customData(_ path: ConfigProperty<Root, JSONValue?>) -> ConfigKey {
        .optional("custom_data", path, .json, "What the app is told besides")
    }
}

extension MediaCommand {
    /// The command with what the app is told besides.
    func with(_ customData: JSONValue?) -> MediaCommand { customData.map { self.with(customData: $0) } ?? self }
}
