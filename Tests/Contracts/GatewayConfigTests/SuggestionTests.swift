import GatewayConfig
import Testing

/// "Did you mean", which is right or silent.
struct SuggestionTests {
    private func hint(_ key: String) -> String? {
        ConfigTestSchema.load("\(key): 1").report().problems.first { $0.code == .unknownKey }?.hint
    }

    @Test(arguments: [
        ("cuont", "count"), ("couny", "count"), ("coun", "count"), ("ccount", "count"), ("tim", "time"),
        ("pasword", "password"), ("passwrod_file", "password_file"), ("wrod", "word"), ("listn", "listen"),
    ])
    func slipsAreRecognised(_ written: String, _ meant: String) {
        #expect(self.hint(written)?.hasPrefix("did you mean '\(meant)'?  (known: ") == true)
    }

    @Test func strangersGetTheList() {
        #expect(self.hint("kubernetes") == "known: text, name, word, flag, count, ratio, …")
        #expect(self.hint(String(repeating: "x", count: 1000)) == "known: text, name, word, flag, count, ratio, …")
    }

    @Test func keysOfOtherPlacesAreSentHome() {
        #expect(self.hint("label") == "'label' belongs under 'things[]'")
        let nested = ConfigTestSchema.load("things: [{name: a, listen: x}]").report().problems.first
        #expect(nested?.hint == "'listen' belongs at the top level")
    }

    @Test(arguments: ["tex", "wor", "nam"])
    func aKeyThatIsBegunIsRecognised(_ written: String) {
        #expect(self.hint(written)?.hasPrefix("did you mean '\(written)") == true)
    }

    @Test func slipsInPatternsAreNear() {
        let words = ["LAUNCH", "LOAD", "QUEUE_LOAD", "STOP"]
        #expect(EditDistance.slip(in: "LAUCH", among: words) == "LAUNCH")
        #expect(EditDistance.slip(in: "launch", among: words) == "LAUNCH")
        #expect(EditDistance.slip(in: "QEUE_*", among: words) == "QUEUE_LOAD")
        #expect(EditDistance.slip(in: "L?AD", among: words) == nil)
        #expect(EditDistance.slip(in: "*OAD", among: words) == nil)
        #expect(EditDistance.slip(in: "X*", among: words) == nil)
        #expect(EditDistance.slip(in: "room-12", among: ["room-11"]) == nil)
        #expect(EditDistance.slip(in: "CC1AD854", among: ["CC1AD845"], numbersDiffer: false) == "CC1AD845")
        #expect(
            EditDistance.slip(in: "urn:x-cast:com.a.b", among: ["urn:x-cast:org.c.d"], ignoring: "urn:x-cast:") == nil)
    }

    @Test func aSlipInARequiredKeyIsOneProblem() {
        #expect(ConfigTestSchema.codes("things: [{nmae: a}]") == [.unknownKey])
    }
}
