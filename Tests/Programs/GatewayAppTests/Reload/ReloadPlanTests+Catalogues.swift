extension ReloadPlanTests {
    private static func catalogue(
        _ name: String, _ before: String, _ after: String, _ key: String? = nil
    ) -> Sample {
        func file(_ text: String) -> String {
            let place = text.contains("url: ") || text.contains("path: ") ? "" : "url: \"https://a.example/f.json\""
            let called = text.contains("name: ") ? "" : "name: a"
            return "catalogues: [{\([called, place, text].filter { !$0.isEmpty }.joined(separator: ", "))}]"
        }
        return Self.top("catalogues[].\(name)", file(before), file(after), "catalogues.\(key ?? "a.\(name)")")
    }

    static let catalogueSamples: [Sample] = [
        catalogue("name", "", "name: b", "b"), catalogue("url", "", "url: \"https://b.example/f.json\""),
        catalogue("path", "path: a.json", "path: b.json"), catalogue("refresh", "", "refresh: 1m"),
        catalogue("timeout", "", "timeout: 1s"), catalogue("size", "", "size: 4KiB"),
        catalogue("items", "", "items: 5"), catalogue("prefer", "", "prefer: [video/webm]"),
        catalogue("allow_private", "", "allow_private: true"), catalogue("allow_http", "", "allow_http: true"),
    ]
}
