import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations

/// `device.can_display`
struct CanDisplay: GatewayOperation {
    struct Input: OperationInput {
        var device = DeviceReference("")
        var contentType = ""
        var codecs: String?
        var width: Int?
        var height: Int?
        var frameRate: Double?

        static let keys: [Key] = [
            .device(\.device),
            .required(
                "content_type", \.contentType, .text(maximumBytes: 256),
                "The type of the medium, with the parameter `codecs` or without", example: "video/mp4"),
            .optional(
                "codecs", \.codecs, .text(maximumBytes: 256), "Its codecs, with commas between them (RFC 6381)",
                example: "\"avc1.64001f,mp4a.40.2\""),
            .optional("width", \.width, .integer(1...65_536), "Pixels of a line", example: "1920"),
            .optional("height", \.height, .integer(1...65_536), "Lines", example: "1080"),
            .optional("frame_rate", \.frameRate, .number(0...1000), "Pictures a second", example: "30"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "device.can_display"
    static let route = OperationRoute(.get, "/devices/{device}/can-display")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Says whether a device can show a medium, by its type, codecs, size and frame rate"
    static let details =
        "Judged by the capabilities that the device announces and by what every Cast device plays; the device is not asked. Devices do not list "
        + "their formats: what one model plays and another does not is `unknown`."
    static let result = CanDisplayResult.result("The answer")
    static let problems = DeviceProblem.named

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.device(input.device, for: caller)
        let question = DisplayQuestion(
            contentType: input.contentType, codecs: input.codecs, width: input.width, height: input.height,
            frameRate: input.frameRate)
        let verdict = question.verdict(for: self.feature.resolver.capabilities(of: device))
        return CanDisplayResult.json((device, verdict))
    }
}

/// The judgment of a medium for a device.
struct CanDisplayResult: ResultRecord {
    typealias Source = (device: DeviceResolver.NamedDevice, verdict: DisplayQuestion.Verdict)

    let device = Field("device", "The device") { $0.device.name }
    let kind = Field("kind", "Which kind of device it is", as: .word(["virtual", "real"])) { $0.device.kind.rawValue }
    let answer = Field(
        "answer", "`yes`, `no`, or `unknown` when it depends on the model or the device has not said what it can do"
    ) { $0.verdict.answer }
    let reason = Field("reason", "Why, in a sentence") { $0.verdict.reason }

    static let layout = ResultLayout(CanDisplayResult())
}
