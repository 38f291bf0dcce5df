import CastWire
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct MediaHandlerTests {
    private func mend(_ text: String) throws -> String? {
        try RouterBench.builtIn().outcome(text, in: .media, to: "web-1").text
    }

    /// Blanks, the order of names and the way numbers are written stay.
    @Test(arguments: [
        #"{ "type":"LOAD" , "requestId":1, "media":{"contentId":"a","streamType":"LIVE","duration":1.50}, "autoplay":true }"#,
        #"{"type":"PAUSE","requestId":2,"mediaSessionId":1,"streamType":null}"#,
        #"{"type":"GET_STATUS","autoplay":"true"}"#,
    ])
    func whatIsRightStaysAsItCame(text: String) throws {
        #expect(try self.mend(text) == text)
    }

    @Test(arguments: [
        // A stream type of null, as catt sends it.
        (
            #"{"type":"LOAD","media":{"contentId":"a","streamType":null},"x":1.50}"#,
            #"{"type":"LOAD","media":{"contentId":"a","streamType":"BUFFERED"},"x":1.50}"#
        ),
        // Autoplay as text, as VLC sends it.
        (
            #"{"type":"LOAD","media":{"contentId":"a"},"autoplay":"false"}"#,
            #"{"type":"LOAD","media":{"contentId":"a"},"autoplay":true}"#
        ),
        // A URL without an id.
        (
            #"{"type":"LOAD","media":{"contentUrl":"http://a/b"}}"#,
            #"{"type":"LOAD","media":{"contentUrl":"http://a/b","contentId":"http://a/b"}}"#
        ),
        // Track ids as text.
        (
            #"{"type":"LOAD","media":{"contentId":"a","tracks":[{"trackId":"2"},{"trackId":3},{"trackId":"x"},4]}}"#,
            #"{"type":"LOAD","media":{"contentId":"a","tracks":[{"trackId":2},{"trackId":3},{"trackId":"x"},4]}}"#
        ),
        // Items of a queue, in every place where they may stand.
        (
            #"{"type":"QUEUE_LOAD","items":[{"autoplay":"1","media":{"contentId":"a","streamType":null}},7]}"#,
            #"{"type":"QUEUE_LOAD","items":[{"autoplay":true,"media":{"contentId":"a","streamType":"BUFFERED"}},7]}"#
        ),
        (
            #"{"type":"LOAD","queueData":{"items":[{"media":{"contentUrl":"u"}}],"startIndex":0}}"#,
            #"{"type":"LOAD","queueData":{"items":[{"media":{"contentUrl":"u","contentId":"u"}}],"startIndex":0}}"#
        ),
        (
            #"{"type":"QUEUE_INSERT","items":[{"media":{"contentId":"a","streamType":null}}]}"#,
            #"{"type":"QUEUE_INSERT","items":[{"media":{"contentId":"a","streamType":"BUFFERED"}}]}"#
        ),
        (
            #"{"type":"QUEUE_UPDATE","items":[{"autoplay":"true"}]}"#,
            #"{"type":"QUEUE_UPDATE","items":[{"autoplay":true}]}"#
        ),
        (
            #"{"type":"PRELOAD","items":[{"autoplay":"true"}]}"#,
            #"{"type":"PRELOAD","items":[{"autoplay":true}]}"#
        ),
    ])
    func whatIsWrongIsMended(text: String, mended: String) throws {
        #expect(try self.mend(text) == mended)
    }

    @Test func whatTheDeviceSaysIsLeftAlone() throws {
        let text = #"{"type":"LOAD","media":{"streamType":null}}"#
        let outcome = try RouterBench.builtIn().outcome(text, in: .media, from: "web-1", to: "*", direction: .toSender)
        #expect(outcome == .forwarded(text))
    }

    @Test(arguments: [#"{"type":"LOAD",}"#, "LOAD", "[]"])
    func whatCannotBeReadIsNotPassedOn(text: String) throws {
        #expect(try RouterBench.builtIn().outcome(text, in: .media, to: "web-1") == .swallowed)
    }

    @Test func conforms() {
        #expect(HandlerConformance(MediaHandler(), types: ["LOAD", "QUEUE_LOAD", "PLAY"]).violations() == [])
    }
}
