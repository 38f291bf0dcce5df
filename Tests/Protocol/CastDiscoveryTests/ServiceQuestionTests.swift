import Testing

@testable import CastDiscovery

@Suite struct ServiceQuestionTests {
    /// RFC 1035, section 4.1: a header, the name, PTR, IN.
    @Test func itIsOneQuestionForTheType() throws {
        let message = ServiceQuestion.message
        #expect(message.prefix(12) == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(message.suffix(4) == [0, 12, 0, 1])
        #expect(message.dropFirst(12).dropLast(4).elementsEqual(CastService.wireName(domain: "local")))
        // A listener takes it for no device.
        #expect(AnnouncementReader.instances(in: message.span) == [])
    }

    /// What cannot be asked is left out, and nothing is heard of it.
    @Test func aPlaceThatIsNotThereIsLeftOut() {
        let nowhere = [AddressFamily.ipv4, .ipv6].map {
            ListeningPlace(interfaceName: "absent0", interface: 99_999_999, family: $0)
        }
        #expect(ServiceQuestion.ask(at: nowhere) == 0)
    }
}
