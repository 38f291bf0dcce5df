import CastClient
import CastWire
import GatewayConfig
import GatewayOperations

/// What an operation takes that is about one device.
protocol DeviceInput: OperationInput {
    var device: DeviceReference { get }
}

/// An operation that is one command to the app that plays media: it is answered when the app has carried it out, with how the
/// media stands then.
protocol MediaOperation: GatewayOperation where Input: DeviceInput {
    var controls: DeviceControls { get }

    /// What the app is asked for.
    func command(_ input: Input) throws(OperationProblem) -> MediaCommand
}

extension MediaOperation {
    static var scope: OperationScope { .control }
    static var isCommand: Bool { true }
    static var reach: OperationReach { .device }
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

extension ConfigSection {
    /// Reports an input that has none of some keys, or more than one.
    func requireOne(of names: String..., problems: inout ConfigProblems) {
        let written = names.filter { self.isWritten($0) }
        guard written.count != 1 else { return }
        let list = names.joined(separator: ", ")
        problems.add(
            written.isEmpty ? .missingKey : .inconsistent, at: self.location(written.last ?? names[0]),
            "exactly one of \(list) is wanted")
    }

    /// Reports an input that has none of some keys.
    func requireAny(of names: String..., problems: inout ConfigProblems) {
        guard !names.contains(where: { self.isWritten($0) }) else { return }
        problems.add(
            .missingKey, at: self.location, "at least one of \(names.joined(separator: ", ")) is wanted")
    }

    /// Reports JSON that is no object.
    func requireObjects(_ names: String..., problems: inout ConfigProblems) {
        for name in names where self.isWritten(name) && self.json(name).objectValue == nil {
            problems.add(.wrongType, at: self.location(name), "'\(name)' must be an object")
        }
    }

    /// Reports JSON that is no list of objects.
    func requireListsOfObjects(_ names: String..., problems: inout ConfigProblems) {
        for name in names where self.isWritten(name) {
            let elements = self.json(name).arrayValue
            guard elements == nil || elements?.contains(where: { $0.objectValue == nil }) == true else { continue }
            problems.add(.wrongType, at: self.location(name), "'\(name)' must be a list of objects")
        }
    }
}
