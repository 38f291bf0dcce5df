package import CastWire
package import GatewayConfig

/// How text is shown, as callers write it.
package struct TextStyleInput: ConfigSettings {
    /// The words of the protocol in lower case.
    package enum Edge: String, Sendable, CaseIterable {
        case none, outline
        case dropShadow = "drop_shadow"
        case raised, depressed
    }

    package enum Window: String, Sendable, CaseIterable {
        case none, normal
        case roundedCorners = "rounded_corners"
    }

    package enum Family: String, Sendable, CaseIterable {
        case sansSerif = "sans_serif"
        case monospacedSansSerif = "monospaced_sans_serif"
        case serif
        case monospacedSerif = "monospaced_serif"
        case casual, cursive
        case smallCapitals = "small_capitals"
    }

    package enum Face: String, Sendable, CaseIterable {
        case normal, bold
        case boldItalic = "bold_italic"
        case italic
    }

    package var fontScale: Double?
    package var foregroundColor: String?
    package var backgroundColor: String?
    package var edgeType: Edge?
    var edgeColor: String?
    package var fontFamily: String?
    package var fontGenericFamily: Family?
    package var fontStyle: Face?
    package var windowType: Window?
    var windowColor: String?
    var windowCornerRadius: Double?
    package var customData: JSONValue?

    private static func color(
        _ name: String, _ path: ConfigProperty<Self, String?>, _ meaning: String
    ) -> Key {
        .optional(
            name, path, .text(allowed: "#0-9A-Fa-f", length: 9...9), "\(meaning), `#RRGGBBAA`", example: "#FFFFFFFF")
    }

    package static let keys: [Key] = [
        .optional("font_scale", \.fontScale, .number(0.1...10), "The size; 1 is normal", example: "1.5"),
        Self.color("foreground_color", \.foregroundColor, "The colour of the text"),
        Self.color("background_color", \.backgroundColor, "The colour behind the text"),
        .optional("edge_type", \.edgeType, .word, "The edge of the letters"),
        Self.color("edge_color", \.edgeColor, "The colour of the edge"),
        .optional("font_family", \.fontFamily, .text(maximumBytes: 256), "The font, if the device has it"),
        .optional("font_generic_family", \.fontGenericFamily, .word, "The kind of font otherwise"),
        .optional("font_style", \.fontStyle, .word, "The face"),
        .optional("window_type", \.windowType, .word, "The window behind the text"),
        Self.color("window_color", \.windowColor, "The colour of the window"),
        .optional(
            "window_corner_radius", \.windowCornerRadius, .number(0...1000), "The radius of its corners, in pixels"),
        .optional("custom_data", \.customData, .json, "What the app is told besides"),
    ]

    package init() {}

    /// The style as the protocol has it.
    package var style: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = self.fontScale
        style.foregroundColor = self.foregroundColor
        style.backgroundColor = self.backgroundColor
        style.edgeType = self.edgeType.map { TextEdgeType(rawValue: $0.rawValue.uppercased()) }
        style.edgeColor = self.edgeColor
        style.fontFamily = self.fontFamily
        style.fontGenericFamily = self.fontGenericFamily.map { TextFontFamily(rawValue: $0.rawValue.uppercased()) }
        style.fontStyle = self.fontStyle.map { TextFontStyle(rawValue: $0.rawValue.uppercased()) }
        style.windowType = self.windowType.map { TextWindowType(rawValue: $0.rawValue.uppercased()) }
        style.windowColor = self.windowColor
        style.windowRoundedCornerRadius = self.windowCornerRadius
        style.customData = self.customData
        return style
    }
}
