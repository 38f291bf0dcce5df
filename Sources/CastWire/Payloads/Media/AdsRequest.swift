/// Where advertisements are fetched: VAST for a clip, VMAP for a medium, which overrides its other breaks (protocol notes, 6.5 and 6.7).
public struct AdsRequest: JSONPayload {
    /// The whole object, known fields and unknown ones.
    public var json: JSONObject

    /// Looks at an object; nothing is checked.
    public init(json: JSONObject = JSONObject()) {
        self.json = json
    }

    /// Where to ask.
    public var adTagURL: String? {
        get { self[text: "adTagUrl"] }
        set { self[text: "adTagUrl"] = newValue }
    }

    /// The answer itself, instead of an address.
    public var adsResponse: String? {
        get { self[text: "adsResponse"] }
        set { self[text: "adsResponse"] = newValue }
    }
}
