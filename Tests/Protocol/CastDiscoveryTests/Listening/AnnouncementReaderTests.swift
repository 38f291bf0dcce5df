import CastDiscovery
import Testing

struct AnnouncementReaderTests {
    private typealias Writer = DNSMessageWriter

    private func read(_ writer: DNSMessageWriter) -> [String] {
        let bytes = writer.bytes
        return AnnouncementReader.instances(in: bytes.span).map(\.name)
    }

    /// What is told of a message from 192.0.2.7.
    private func located(_ writer: DNSMessageWriter) -> [HeardInstance] {
        let bytes = writer.bytes
        return AnnouncementReader.instances(in: bytes.span, from: "192.0.2.7")
    }

    @Test func anAnswerOfTheTypeNamesItsInstance() {
        var message = Writer()
        message.pointer(to: "Chromecast-ABC")
        #expect(self.read(message) == ["chromecast-abc"])
    }

    @Test func hostsAndRecordsNameTheirInstanceByWhoseTheyAre() {
        for type in [33, 16] {
            var message = Writer()
            // With the bit that makes caches forget what they had.
            message.record(
                Writer.name(["Hall TV.1", "_GoogleCast", "_TCP", "Local"]), type: type, recordClass: 0x8001,
                content: [0])
            #expect(self.read(message) == ["hall tv.1"])
        }
    }

    @Test func compressedNamesAreFollowed() {
        var message = Writer(answers: 3, additional: 1)
        let start = message.bytes.count
        let content = message.record(
            Writer.name(Writer.service), type: 12, content: Writer.name(["One"], pointer: start))
        message.record(
            Writer.name([], pointer: start), type: 12, content: Writer.name(["Two"], pointer: start))
        message.record(Writer.name([], pointer: content), type: 33, content: [0, 0, 0, 0, 0, 0, 0])
        message.record(Writer.name(["Three"], pointer: start), type: 33, content: [0])
        #expect(self.read(message) == ["one", "two"])
    }

    @Test func questionsAreSkipped() {
        var message = Writer(questions: 2)
        let start = message.bytes.count
        message.question(Writer.name(Writer.service))
        message.question(Writer.name([], pointer: start))
        message.pointer(to: "One")
        #expect(self.read(message) == ["one"])
    }

    @Test func otherAnswersNameNone() {
        var message = Writer(answers: 7)
        message.pointer(to: "Gone", lifetime: 0)
        message.pointer(to: "Chaos", recordClass: 3)
        message.record(
            Writer.name(["_airplay", "_tcp", "local"]), type: 12, content: Writer.name(["X"] + Writer.service))
        message.record(
            Writer.name(["_CC1AD845", "_sub"] + Writer.service), type: 12, content: Writer.name(["X"] + Writer.service))
        message.record(Writer.name(Writer.service), type: 12, content: Writer.name(["X", "_airplay", "_tcp", "local"]))
        message.record(Writer.name(["X"] + Writer.service), type: 1, content: [192, 0, 2, 1])
        message.record(Writer.name(["X", "Y"] + Writer.service), type: 16, content: [0])
        #expect(self.read(message) == [])
    }

    @Test(arguments: [0x0000, 0x0400, 0x8800, 0x8403] as [UInt16])
    func questionsAndErrorsAreNoAnswers(_ flags: UInt16) {
        var message = Writer(flags: flags)
        message.pointer(to: "One")
        #expect(self.read(message) == [])
    }

    // MARK: Where devices are

    @Test(arguments: [[1, 2, 0, 0], [3, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 2]])
    func aDeviceIsWhereItSaysThatItIs(_ sections: [Int]) {
        var message = Writer(answers: sections[0] + sections[1], authorities: sections[2], additional: sections[3])
        message.pointer(to: "One")
        message.server(of: "One", host: "HOST", port: 32000)
        message.address([192, 0, 2, 7])
        #expect(self.located(message) == [HeardInstance(name: "one", port: 32000)])
    }

    /// A device asks for its names before it answers to them, and says in what way it will.
    @Test func aDeviceThatAsksForItsNamesSaysWhereItIs() {
        var message = Writer(flags: 0, questions: 1, answers: 1, authorities: 4)
        message.question(Writer.name(["One"] + Writer.service))
        message.pointer(to: "Known")
        message.pointer(to: "Two")
        message.record(Writer.name(["One"] + Writer.service), type: 16, content: [0])
        message.server(of: "One")
        message.address([192, 0, 2, 7])
        #expect(self.located(message) == [HeardInstance(name: "one", port: 8009)])
        let bytes = message.bytes
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            #expect(AnnouncementReader.instances(in: part.span, from: "192.0.2.7").isEmpty, "\(count)")
        }
    }

    @Test func whatIsSaidOfOthersIsNotBelieved() {
        var elsewhere = Writer(answers: 2)
        elsewhere.server(of: "One")
        elsewhere.address([192, 0, 2, 8])
        #expect(self.located(elsewhere) == [HeardInstance(name: "one")])
        var another = Writer(answers: 2)
        another.server(of: "One")
        another.address([192, 0, 2, 7], of: "other")
        #expect(self.located(another) == [HeardInstance(name: "one")])
        var wrong = Writer(answers: 4)
        wrong.server(of: "One", port: 0)
        wrong.record(Writer.name(["Two"] + Writer.service), type: 33, content: [0, 0, 0, 0, 31])
        wrong.address([192, 0, 2, 7, 0])
        wrong.address([192, 0, 2, 7])
        #expect(self.located(wrong) == [HeardInstance(name: "one"), HeardInstance(name: "two")])
    }

    @Test func whatCannotBeReadBesideTheAnswersTakesNothingFromThem() {
        var message = Writer(answers: 2, additional: 2)
        message.server(of: "One")
        message.address([192, 0, 2, 7])
        message.record(Writer.name([], pointer: 0x3FFF), type: 33, content: [0])
        #expect(self.located(message) == [HeardInstance(name: "one", port: 8009)])
    }

    // MARK: Messages that are none

    @Test func pointersThatLeadOnOrInACircleAreRefused() {
        for target in [12, 0, 13, 0x3FFF] {
            var message = Writer()
            message.record(Writer.name([], pointer: target), type: 16, content: [0])
            #expect(self.read(message) == [], "to \(target)")
        }
        // Each leads to the one before it: they end, but there are too many of them.
        var message = Writer(answers: 2)
        var content = message.bytes.count + 11
        var chain = Writer.name(["One"] + Writer.service)
        for _ in 0..<40 {
            let last = content
            content = message.bytes.count + 11 + chain.count
            chain += Writer.name([], pointer: last)
        }
        message.record([0], type: 99, content: chain)
        message.record(Writer.name([], pointer: content), type: 16, content: [0])
        #expect(self.read(message) == [])
    }

    @Test func namesThatAreTooLongAreRefused() {
        let label = String(repeating: "a", count: 63)
        for labels in [[label, label, label, label], Array(repeating: "a", count: 128)] {
            var message = Writer(answers: 2)
            message.record(Writer.name(labels), type: 1, content: [])
            message.pointer(to: "One")
            #expect(self.read(message) == [])
        }
        var message = Writer()
        message.pointer(to: label)
        #expect(self.read(message) == [label])
    }

    @Test func nothingIsToldOfAMessageThatIsCutAnywhere() {
        var message = Writer(questions: 1, answers: 2)
        message.question(Writer.name(Writer.service))
        message.pointer(to: "One")
        message.pointer(to: "Two")
        #expect(self.read(message) == ["one", "two"])
        for count in 0..<message.bytes.count {
            let part = Array(message.bytes[..<count])
            let instances = AnnouncementReader.instances(in: part.span)
            #expect(instances.isEmpty, "\(count)")
        }
    }

    @Test func aNameThatEndsElsewhereThanItsRecordIsRefused() {
        let name = Writer.name(["One"] + Writer.service)
        for length in [name.count - 1, name.count + 1] {
            var message = Writer(answers: 1)
            message.record(Writer.name(Writer.service), type: 12, content: name + [0], length: length)
            #expect(self.read(message) == [])
        }
    }

    @Test func whatComesBeyondTheLimitsIsNotTold() {
        var message = Writer(answers: 70)
        for number in 0..<70 { message.pointer(to: "i\(number)") }
        #expect(self.read(message) == (0..<AnnouncementReader.maximumInstances).map { "i\($0)" })
        var long = Writer()
        long.pointer(to: "One")
        long.record([0], type: 99, content: Array(repeating: 0, count: 9000))
        #expect(self.read(long) == [])
    }
}
