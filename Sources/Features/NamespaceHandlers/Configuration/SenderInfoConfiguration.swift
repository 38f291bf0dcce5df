import CastWire
package import GatewayConfig

/// `launch.sender_info`: what the gateway's own sessions say of it to apps, beside its user agent.
package struct SenderInfoConfiguration: ConfigSettings, Hashable {
    /// `platform`: a word of ``SenderPlatform``.
    package enum Platform: String, Hashable, Sendable, CaseIterable {
        case other, android, ios, windows, macos, chromeos, linux
        case castDevice = "cast_device"
    }

    /// The system that the gateway says it runs on; nil leaves it out.
    package var platform: Platform?
    /// The number of the kind of sender library, 2 for a browser; nil leaves it out.
    package var sdk: Int?
    /// The sender library's version; nil leaves it out.
    package var version: String?
    /// The system's version; nil leaves it out.
    package var systemVersion: String?
    /// The sender's model; nil leaves it out.
    package var model: String?

    package static let keys: [Key] = [
        .optional("platform", \.platform, .word, "The system that the gateway says it runs on", example: "linux"),
        .optional(
            "sdk", \.sdk, .integer(0...99), "The number of the kind of sender library; browsers say 2", example: "2"),
        .optional(
            "version", \.version, .text(maximumBytes: 64), "The version of the sender library", example: "15.605.1.3"),
        .optional(
            "system_version", \.systemVersion, .text(maximumBytes: 128), "The version of the system", example: "6.12"),
        .optional("model", \.model, .text(maximumBytes: 128), "What the sender is, as phones say", example: "Castway"),
    ]

    package init() {}

    /// The object that apps receive.
    var info: SenderInfo {
        var json: JSONObject = [:]
        if let platform { json["platform"] = SenderPlatform(word: platform.rawValue).map { .number($0.rawValue) } }
        if let sdk { json["sdkType"] = .number(sdk) }
        if let version { json["version"] = .string(version) }
        if let systemVersion { json["systemVersion"] = .string(systemVersion) }
        if let model { json["model"] = .string(model) }
        return SenderInfo(json: json)
    }
}
