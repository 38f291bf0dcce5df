import CastWire
import GatewayCore
import Testing

@Suite struct NamespacePatternTests {
    @Test func prefixesMatchAtDotsOnly() throws {
        let pattern = try #require(NamespacePattern("urn:x-cast:com.example.*"))
        #expect(pattern.matches("urn:x-cast:com.example.a"))
        #expect(pattern.matches("urn:x-cast:com.example.a.b"))
        #expect(!pattern.matches("urn:x-cast:com.example"))
        #expect(!pattern.matches("urn:x-cast:com.example."))
        #expect(!pattern.matches("urn:x-cast:com.examples.a"))
        #expect(pattern.description == "urn:x-cast:com.example.*")
    }

    @Test(arguments: ["", "a*", "*.a", ".*", "a.*.*", "a*.b", "**"])
    func nonsenseIsNoPattern(_ text: String) {
        #expect(NamespacePattern(text) == nil)
    }

    @Test func theStarMatchesEverythingAndIsTheLeastSpecific() throws {
        let star = try #require(NamespacePattern("*"))
        #expect(star == .any && star.matches("anything") && star.description == "*")
        let patterns = try ["a.b.c", "a.b.*", "a.*", "*"].map { try #require(NamespacePattern($0)) }
        #expect(patterns.map(\.specificity) == patterns.map(\.specificity).sorted(by: >))
    }
}
