import Testing

@testable import MessageBridges

@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let moment: Int64 = 784_111_777

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 7\t", 7), ("86400", 86400), ("86401", 86400), ("99999999999999999999999", 86400),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
        ("Fri, 06 Nov 2099 08:49:37 GMT", 86400),
    ])
    func secondsAndDatesAreRead(text: String, seconds: Int64) {
        #expect(RetryAfter.duration(text, now: Self.moment) == .seconds(seconds))
    }

    @Test(arguments: [
        "", " ", "-1", "1.5", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 99 Nov 1994 08:49:37 GMT",
        String(repeating: "9", count: 65),
    ])
    func anythingElseSaysNothing(_ text: String) {
        #expect(RetryAfter.duration(text, now: Self.moment) == nil)
    }
}
