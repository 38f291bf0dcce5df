/// What a plugin did wrong.
struct ConformanceBreach: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
