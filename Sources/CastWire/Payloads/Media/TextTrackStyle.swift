/// How text tracks look (protocol notes, 6.7). Colours are `#RRGGBBAA`.
public struct TextTrackStyle: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Behind the text.
    public var backgroundColor: String? {
        get { self[text: "backgroundColor"] }
        set { self[text: "backgroundColor"] = newValue }
    }

    /// The text.
    public var foregroundColor: String? {
        get { self[text: "foregroundColor"] }
        set { self[text: "foregroundColor"] = newValue }
    }

    /// The edge of letters.
    public var edgeColor: String? {
        get { self[text: "edgeColor"] }
        set { self[text: "edgeColor"] = newValue }
    }

    /// NONE, OUTLINE, DROP_SHADOW, RAISED or DEPRESSED.
    public var edgeType: String? {
        get { self[text: "edgeType"] }
        set { self[text: "edgeType"] = newValue }
    }

    /// The font.
    public var fontFamily: String? {
        get { self[text: "fontFamily"] }
        set { self[text: "fontFamily"] = newValue }
    }

    /// The kind of font.
    public var fontGenericFamily: String? {
        get { self[text: "fontGenericFamily"] }
        set { self[text: "fontGenericFamily"] = newValue }
    }

    /// The size, 1 is normal.
    public var fontScale: Double? {
        get { self[number: "fontScale"] }
        set { self[number: "fontScale"] = newValue }
    }

    /// NORMAL, BOLD, BOLD_ITALIC or ITALIC.
    public var fontStyle: String? {
        get { self[text: "fontStyle"] }
        set { self[text: "fontStyle"] = newValue }
    }

    /// The window.
    public var windowColor: String? {
        get { self[text: "windowColor"] }
        set { self[text: "windowColor"] = newValue }
    }

    /// NONE, NORMAL or ROUNDED_CORNERS.
    public var windowType: String? {
        get { self[text: "windowType"] }
        set { self[text: "windowType"] = newValue }
    }

    /// Pixels.
    public var windowRoundedCornerRadius: Double? {
        get { self[number: "windowRoundedCornerRadius"] }
        set { self[number: "windowRoundedCornerRadius"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }
    /// ``edgeType`` as one of the known words.
    public var edge: TextEdgeType? {
        get { self[raw: "edgeType"] }
        set { self[raw: "edgeType"] = newValue }
    }

    /// ``windowType`` as one of the known words.
    public var window: TextWindowType? {
        get { self[raw: "windowType"] }
        set { self[raw: "windowType"] = newValue }
    }

    /// ``fontGenericFamily`` as one of the known words.
    public var genericFamily: TextFontFamily? {
        get { self[raw: "fontGenericFamily"] }
        set { self[raw: "fontGenericFamily"] = newValue }
    }

    /// ``fontStyle`` as one of the known words.
    public var style: TextFontStyle? {
        get { self[raw: "fontStyle"] }
        set { self[raw: "fontStyle"] = newValue }
    }

    /// What receivers show when nobody says anything, since Linux keeps no caption style for all programs.
    public static var standard: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = 1
        style.foregroundColor = "#FFFFFFFF"
        style.backgroundColor = "#00000099"
        style.edge = TextEdgeType.none
        style.window = TextWindowType.none
        style.genericFamily = .sansSerif
        style.style = .normal
        return style
    }
}
