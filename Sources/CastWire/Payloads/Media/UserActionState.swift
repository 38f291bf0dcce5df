/// What a viewer did with a medium (protocol notes, 6.5).
public struct UserActionState: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// The action.
    public var userAction: UserAction? {
        get { self[raw: "userAction"] }
        set { self[raw: "userAction"] = newValue }
    }

    /// Anything that sender and app agreed on.
    public var customData: JSONValue? {
        get { self.json["customData"] }
        set { self.json["customData"] = newValue }
    }

    /// What the action is about.
    public var context: UserActionContext? {
        get { self[raw: "userActionContext"] }
        set { self[raw: "userActionContext"] = newValue }
    }
}
