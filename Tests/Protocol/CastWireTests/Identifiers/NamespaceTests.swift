import CastWire
import Testing

@Suite struct NamespaceTests {
    @Test(arguments: [
        "urn:x-cast:com.google.cast.media", "urn:x-cast:com.google.cast.tp.connection", "urn:x-cast:com.example.Quiz",
        "urn:x-cast:a", "urn:x-cast:com.google.cast.sample.helloWorld", "urn:x-cast:com.example.chat/1?b=c",
        "urn:x-cast:com.google.youtube.mdx", "urn:x-cast:" + String(repeating: "n", count: 117),
    ]) func whatSendersUseIsValid(_ name: String) {
        #expect(Namespace(rawValue: name).isValid)
    }

    @Test(arguments: [
        "", "x", "urn:x-cast:", "URN:X-CAST:com.example.quiz", "urn:x-cast", "urn:x-cast:com.example.quiz ",
        " urn:x-cast:com.example.quiz", "urn:x-cast:com.example\0.quiz", "urn:x-cast:com.example.quiz\n",
        "urn:x-cast:com.example.qu\u{00E9}", "urn:x-cast:com.example.*", "urn:x-cast:com.google.cast.Media",
        "urn:x-cast:com.google.cast.RECEIVER", "urn:x-cast:com.Google.cast.media",
        "urn:x-cast:com.google.cast.TP.connection",
        "urn:x-cast:com.google.cast.tp.Connection", "urn:x-cast:" + String(repeating: "n", count: 118),
    ]) func anythingElseIsNone(_ name: String) {
        let namespace = Namespace(rawValue: name)
        #expect(!namespace.isValid && !namespace.isCustom && !namespace.isTransport)
    }
}
