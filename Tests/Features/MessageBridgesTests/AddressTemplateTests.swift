import CastwayTestSupport
import HTTPFetching
import NIOCore
import NIOHTTP1
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(1))) struct AddressTemplateTests {
    private static let values = AddressTemplate.Values(
        device: "hall 1/a", namespace: "urn:x-cast:com.example.quiz", app: "CC1AD845", type: "channel.message")

    @Test func placeholdersAreFilledInAndEncoded() throws {
        let template = try WebhookURLTemplate(
            "https://b.example:81/c/{device}/{channel}?ns={namespace}&a={app}&t={type}")
        #expect(!template.isFixed)
        #expect(template.url.text == "https://b.example:81/c/-/-?ns=-&a=-&t=-")
        #expect(
            template.url(for: Self.values)?.text
                == "https://b.example:81/c/hall%201%2Fa/com.example.quiz?ns=urn%3Ax-cast%3Acom.example.quiz&a=CC1AD845&t=channel.message"
        )
        #expect(template.url(for: .init(device: "a"))?.text == "https://b.example:81/c/a/-?ns=-&a=-&t=-")
        let fixed = try WebhookURLTemplate("https://b.example/x")
        #expect(fixed.isFixed)
    }

    @Test(arguments: ["..", ".", "", "../..", "a?b#c", "%2e%2e", "\r\nx: y", "@evil.example", "\u{e4}", "{device}"])
    func whatASenderSaysIsOnePartOfThePath(value: String) throws {
        let template = try WebhookURLTemplate("https://b.example/c/{channel}/d")
        let url = try #require(template.url(for: .init(namespace: "urn:x-cast:" + value)))
        #expect(url.host == "b.example")
        let path = url.text.dropFirst("https://b.example".count)
        let levels = path.split(separator: "/", omittingEmptySubsequences: false)
        #expect(levels.count == 4)
        #expect(levels.first == "" && levels.last == "d")
        #expect(!["", ".", ".."].contains(levels[2]))
        #expect(!path.contains("?") && !path.contains("#"))
    }

    @Test(arguments: [
        "https://{device}.example/", "https://b.example:{app}/", "{type}://b.example/", "https://b.example/{room}",
        "https://b.example/{device", "https://b.example/device}", "https://b.example/{}",
        "https://b.example/{{device}}",
    ])
    func whatIsNoTemplateIsRefused(text: String) {
        #expect(throws: OutboundURL.Malformed.self) { try WebhookURLTemplate(text) }
    }

    @Test func whatIsTooLongIsNone() throws {
        let template = try WebhookURLTemplate("https://b.example/{channel}")
        #expect(template.url(for: .init(namespace: String(repeating: "+", count: 2000))) == nil)
    }

    @Test func theOutboxKeepsWhatTheMessageDoesNotTell() {
        var message = WebhookBench.message()
        message.address = AddressTemplate.Values(namespace: "urn:x-cast:a b%20c", app: "CC1AD845").outboxAddress
        let values = AddressTemplate.Values(message)
        #expect(values.namespace == "urn:x-cast:a b%20c")
        #expect([values.device, values.app, values.type] == ["hall", "CC1AD845", "channel.message"])
        message.address = AddressTemplate.Values(namespace: "n").outboxAddress
        #expect(AddressTemplate.Values(message).app == nil)
        message.address = nil
        #expect(AddressTemplate.Values(message).namespace == nil)
    }

    @Test func eachMessageGoesToItsURL() async throws {
        let backEnd = try await ScriptedBackEnd { _, answer in answer.send(200) }
        let bench = try WebhookBench("http://backend.test:\(backEnd.port)/cast/{device}/{channel}?token=T") {
            $0.allowsPlaintext = true
        }
        var message = WebhookBench.message()
        message.address = AddressTemplate.Values(namespace: "urn:x-cast:com.example.quiz").outboxAddress
        let outcome = await bench.carry(message)
        #expect(outcome == .delivered)
        let request = await backEnd.requests.next()
        #expect(request?.head.uri == "/cast/hall/com.example.quiz?token=T")
        message.address = AddressTemplate.Values(namespace: String(repeating: "+", count: 3000)).outboxAddress
        let refused = await bench.carry(message)
        guard case .refused = refused else {
            Issue.record("\(refused)")
            return
        }
    }

    @Test(arguments: [
        ("apps/{device}/{channel}", "apps/hall 1%2Fa/com.example.quiz"),
        ("a/{app}-{type}", "a/CC1AD845-channel.message"),
    ])
    func topicsAreFilledIn(text: String, expected: String) throws {
        let topic = try AddressTemplate(text).text(Self.values, encode: MQTTTopics.encode)
        #expect(topic == expected)
    }

    @Test func wildcardsOfSendersStayOutOfTopics() throws {
        let values = AddressTemplate.Values(device: "+", namespace: "urn:x-cast:#/\u{0}")
        let topic = try AddressTemplate("apps/{device}/{channel}").text(values, encode: MQTTTopics.encode)
        #expect(topic == "apps/%2B/%23%2F%00")
    }
}
