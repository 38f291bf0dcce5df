/// How text tracks look (protocol notes, 6.7). Colours are `#RRGGBBAA`.
public struct TextTrackStyle: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Behind the text.
        public static let backgroundColor = Field<String>("backgroundColor")
        /// The text.
        public static let foregroundColor = Field<String>("foregroundColor")
        /// The edge of letters.
        public static let edgeColor = Field<String>("edgeColor")
        /// How the edge of letters is drawn.
        public static let edgeType = Field<TextEdgeType>("edgeType")
        /// The font.
        public static let fontFamily = Field<String>("fontFamily")
        /// The kind of font.
        public static let fontGenericFamily = Field<TextFontFamily>("fontGenericFamily")
        /// The size, 1 is normal.
        public static let fontScale = Field<Double>("fontScale")
        /// The style of the font.
        public static let fontStyle = Field<TextFontStyle>("fontStyle")
        /// The window.
        public static let windowColor = Field<String>("windowColor")
        /// The shape of the window.
        public static let windowType = Field<TextWindowType>("windowType")
        /// Pixels.
        public static let windowRoundedCornerRadius = Field<Double>("windowRoundedCornerRadius")
        /// Anything that sender and app agreed on.
        public static let customData = Field<JSONValue>("customData")
    }

    /// What receivers show unless a sender chooses otherwise, since Linux keeps no caption style for all programs.
    public static var standard: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = 1
        style.foregroundColor = "#FFFFFFFF"
        style.backgroundColor = "#00000099"
        style.edgeType = TextEdgeType.none
        style.windowType = TextWindowType.none
        style.fontGenericFamily = .sansSerif
        style.fontStyle = .normal
        return style
    }
}

/// The edge of text (protocol notes, 6.7).
public struct TextEdgeType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// None.
    public static let none = TextEdgeType(rawValue: "NONE")
    /// An outline.
    public static let outline = TextEdgeType(rawValue: "OUTLINE")
    /// A shadow.
    public static let dropShadow = TextEdgeType(rawValue: "DROP_SHADOW")
    /// Raised.
    public static let raised = TextEdgeType(rawValue: "RAISED")
    /// Depressed.
    public static let depressed = TextEdgeType(rawValue: "DEPRESSED")
}

/// The window behind text (protocol notes, 6.7).
public struct TextWindowType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// None.
    public static let none = TextWindowType(rawValue: "NONE")
    /// A rectangle.
    public static let normal = TextWindowType(rawValue: "NORMAL")
    /// A rectangle with round corners.
    public static let roundedCorners = TextWindowType(rawValue: "ROUNDED_CORNERS")
}

/// A family of fonts that every receiver has (protocol notes, 6.7).
public struct TextFontFamily: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Without serifs.
    public static let sansSerif = TextFontFamily(rawValue: "SANS_SERIF")
    /// Monospaced, without serifs.
    public static let monospacedSansSerif = TextFontFamily(rawValue: "MONOSPACED_SANS_SERIF")
    /// With serifs.
    public static let serif = TextFontFamily(rawValue: "SERIF")
    /// Monospaced, with serifs.
    public static let monospacedSerif = TextFontFamily(rawValue: "MONOSPACED_SERIF")
    /// Casual.
    public static let casual = TextFontFamily(rawValue: "CASUAL")
    /// Cursive.
    public static let cursive = TextFontFamily(rawValue: "CURSIVE")
    /// Small capitals.
    public static let smallCapitals = TextFontFamily(rawValue: "SMALL_CAPITALS")
}

/// The style of a font (protocol notes, 6.7).
public struct TextFontStyle: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Normal.
    public static let normal = TextFontStyle(rawValue: "NORMAL")
    /// Bold.
    public static let bold = TextFontStyle(rawValue: "BOLD")
    /// Bold and italic.
    public static let boldItalic = TextFontStyle(rawValue: "BOLD_ITALIC")
    /// Italic.
    public static let italic = TextFontStyle(rawValue: "ITALIC")
}
