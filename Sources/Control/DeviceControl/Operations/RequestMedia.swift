import CastClient
package import CastWire
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `media.request`
struct RequestMedia: DeviceControlOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var type = ""
        var body: JSONValue?
        var isAboutMedia = true

        static let keys: [Key] = [
            .device(\.device),
            .required(
                "type", \.type, .text(maximumBytes: 64), "The type of the message, as the protocol has it",
                example: "USER_ACTION"),
            .optional(
                "body", \.body, .json, "Its other fields; the gateway adds `requestId` and `mediaSessionId`",
                example: "{\"userAction\": \"LIKE\"}"),
            Key(
                "about_media", \.isAboutMedia, .boolean,
                "Whether it is about what is loaded, so that it fails where nothing is"),
        ]

        static let rules: [InputRule] = [.objects(["body"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.request"
    static let route = OperationRoute(.post, "/devices/{device}/media/request")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Asks the app that plays media for something that no other operation asks for"
    static let details =
        "Such as PRECACHE, USER_ACTION, DISPLAY_STATUS, CUSTOM_COMMAND, STORE_SESSION, or a GET_STATUS with options. SET_CREDENTIALS, and "
        + "fields that hold credentials, take the scope `credentials`. \(PlayMedia.sessionStays)"
    static let result = MediaReplyResult.result("How the media stands then")
    static let problems = DeviceProblem.media

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let names = [input.type] + (input.body?.objectValue?.members.map(\.name) ?? [])
        if let name = names.first(where: { $0.lowercased().contains("credentials") }) {
            try caller.require(scope: .credentials, for: name)
        }
        let device = try self.controls.device(input.device, for: caller)
        let (reply, media) = try await device.perform(
            .raw(
                MediaRequestType(rawValue: input.type), input.body?.objectValue ?? [:],
                needsMediaSession: input.isAboutMedia))
        return MediaReplyResult.json((MediaResult.Source(device: device, media: media), reply))
    }
}

/// The media of a device, and the reply of its app.
package struct MediaReplyResult: ResultRecord {
    package typealias Source = (media: MediaResult.Source, reply: JSONObject)

    package let media = Embedded(MediaResult.self) { $0.media }
    package let reply = Field("reply", "What the app answered") { $0.reply }

    package static let layout = ResultLayout(MediaReplyResult())
}
