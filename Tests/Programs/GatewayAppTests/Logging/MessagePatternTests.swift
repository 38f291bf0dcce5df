import Testing

@testable import GatewayLogging

@Suite struct MessagePatternTests {
    @Test(arguments: [
        ("abc", "xxabcxx", true), ("abc", "xxabxcx", false), ("^abc$", "abc", true), ("^abc$", "abcd", false),
        ("a|bc|d", "xbcx", true), ("a|bc|d", "xbx", false), ("", "", true), ("^$", "a", false),
        ("a.c", "a✓c", true), ("a*b", "b", true), ("^a+b", "aaab", true), ("^a+b", "b", false),
        ("^colou?r$", "color", true), ("^(ab){2,3}$", "ababab", true), ("^(ab){2,3}$", "abababab", false),
        ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaaa", true), ("^(?:a|b)*?c$", "ababc", true),
        ("[a-c]+[^0-9]$", "abx", true), ("[a-c]+[^0-9]$", "ab1", false), ("[]x]", "]", true), ("[a-]", "-", true),
        ("\\d{3}-\\d+", "tel 555-1", true), ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false),
        ("\\Bcat", "concat", true), ("[\\w.]+@", "a.b@", true), ("\\S+\\s\\W", "ab !", true), ("a\\.b", "axb", false),
        ("a\\{1}", "a{1}", true), ("x(|y)z", "xz", true), ("(a*)*b", "aab", true), ("(a|b|)+c", "c", true),
        ("}", "}", true), ("]", "]", true),
    ])
    func findsWhatOtherDialectsFind(pattern: String, text: String, isFound: Bool) throws {
        #expect(try MessagePattern(pattern).matches(text) == isFound)
    }

    @Test func caseCanBeIgnored() throws {
        #expect(try !MessagePattern("straße").matches("STRAßE"))
        #expect(try MessagePattern("straße", ignoresCase: true).matches("STRAßE"))
        #expect(try MessagePattern("[a-f]{2}É", ignoresCase: true).matches("xABé"))
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[]", "[a", "*a", "a**", "a{2}{3}", "a{,3}", "a{3,2}", "a{201}", "a{x}", "\\", "\\1",
        "\\q",
        "(?=a)", "(?!a)", "(?<n>a)", "(?i)a", "^*", "\\b+", "[z-a]", "[a-\\d]", "[\\D]", "(a{50}){50}",
        String(repeating: "(", count: 40) + String(repeating: ")", count: 40),
    ])
    func whatIsNotKnownIsRefused(pattern: String) {
        #expect(throws: MessagePatternError.self) { try MessagePattern(pattern) }
    }

    /// A backtracking machine takes longer than the universe has existed for any of these.
    @Test(.timeLimit(.minutes(1)), arguments: ["(a+)+$", "(a|a)*b", "(a*)*c", "(.*a){40}", "(a?){50}a{50}"])
    func noExpressionTakesForEver(pattern: String) throws {
        let text = String(repeating: "a", count: 4000) + "!"
        _ = try MessagePattern(pattern).matches(text)
    }

    @Test func aLongMessageIsJudgedByItsBeginning() throws {
        let pattern = try MessagePattern("b")
        #expect(pattern.matches(String(repeating: "a", count: MessagePattern.judgedLength - 1) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: MessagePattern.judgedLength) + "b"))
    }
}
