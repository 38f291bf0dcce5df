import GatewayConfig
import Logging
import Testing

@testable import GatewayLogging

@Suite struct LogLineTests {
    let recorder = LineRecorder()

    @Test func jsonHasTheFixedFieldsFirstAndTheOthersByName() {
        var logger = self.recorder.logger("VirtualDevice", LogConfiguration())
        logger[metadataKey: "device"] = "hall"
        logger.info("Listening", metadata: ["address": "127.0.0.1:8010", "attempt": .stringConvertible(2)])
        #expect(
            self.recorder.lines == [
                #"{"time":"2026-01-31T08:05:09.007Z","level":"info","msg":"Listening","component":"VirtualDevice","#
                    + #""address":"127.0.0.1:8010","attempt":2,"device":"hall"}"# + "\n"
            ])
    }

    @Test func numbersAndTruthValuesStayWhatTheyAre() {
        let metadata: Logger.Metadata = [
            "a": .stringConvertible(UInt16(8009)), "b": .stringConvertible(Int64(-3)), "c": .stringConvertible(0.5),
            "d": .stringConvertible(true), "e": .stringConvertible(UInt64.max), "f": "12",
            "g": .array([.stringConvertible(Int32(7)), .dictionary(["h": .stringConvertible(Float(2))])]),
            "i": .stringConvertible(Double.infinity),
        ]
        self.recorder.logger("Gateway", LogConfiguration()).info("Counted", metadata: metadata)
        #expect(
            self.recorder.lines.first?.hasSuffix(
                #""a":8009,"b":-3,"c":0.5,"d":true,"e":"18446744073709551615","f":"12","g":[7,{"h":2}],"i":null}"#
                    + "\n") == true)
    }

    @Test func aFieldCannotReplaceTheFixedOnes() {
        self.recorder.logger("Gateway", LogConfiguration()).info("Real", metadata: ["msg": "forged"])
        #expect(self.recorder.lines.first?.contains(#""msg":"Real","component":"Gateway","meta.msg":"forged""#) == true)
    }

    @Test func textIsForPeople() {
        let logger = self.recorder.logger("VirtualDevice", LogConfiguration(), isTerminal: true)
        logger.warning("Closed", metadata: ["device": "hall", "reason": "gone away", "list": ["a", "b"]])
        #expect(
            self.recorder.lines == [
                "2026-01-31 09:05:09.007 warning VirtualDevice  Closed  device=hall list=[\"a\",\"b\"] reason=\"gone away\"\n"
            ])
    }

    @Test func colourIsForTheLevel() {
        let logger = self.recorder.logger("Gateway", LogConfiguration(), isTerminal: true, isColoured: true)
        logger.error("Broken")
        #expect(self.recorder.lines == ["2026-01-31 09:05:09.007 \u{1B}[31merror\u{1B}[0m   Gateway  Broken\n"])
    }

    @Test func textElsewhereThanOnATerminalHasNoColour() {
        let logger = self.recorder.logger("Gateway", LogConfiguration { $0.format = .text }, isColoured: true)
        logger.info("Up")
        #expect(self.recorder.lines == ["2026-01-31 09:05:09.007 info    Gateway  Up\n"])
    }

    @Test(arguments: [true, false])
    func nothingBreaksOutOfItsLine(isTerminal: Bool) {
        let logger = self.recorder.logger("Gateway", LogConfiguration(), isTerminal: isTerminal)
        logger.info("one\ntwo\u{1B}[2J", metadata: ["na\rme": "x\u{9B}31m\u{202E}\u{2028}y"])
        #expect(self.recorder.lines.count == 1)
        let line = self.recorder.lines.joined()
        let controls = line.dropLast().unicodeScalars.filter {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || [0x202E, 0x2028].contains($0.value)
        }
        #expect(controls.isEmpty)
        #expect(line.hasSuffix("\n"))
        #expect(line.contains(isTerminal ? #"one\u{a}two\u{1b}[2J"# : #"one\ntwo\u001b[2J"#))
        #expect(line.contains(isTerminal ? #"\u{9b}31m\u{202e}\u{2028}y"# : #"\u009b31m\u202e\u2028y"#))
    }

    @Test func anErrorHasItsField() {
        struct Failure: Error, CustomStringConvertible { let description = "no luck" }
        self.recorder.logger("Gateway", LogConfiguration()).error("Failed", error: Failure())
        #expect(self.recorder.lines.first?.contains(#""err":"no luck""#) == true)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_399, "2000-02-28T23:59:59.000Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.000Z"),
    ])
    func datesAreGregorian(seconds: Int64, text: String) {
        #expect(LogInstant(seconds: seconds, milliseconds: 0).utcText == text)
    }

    @Test func localTimeMayBeOfAnotherDay() {
        #expect(LogInstant(seconds: 0, milliseconds: 5, localOffset: -3600).localText == "1969-12-31 23:00:00.005")
    }

    @Test func noColourIsObeyed() {
        #expect(LoggingSetup.mayColour(isTerminal: true, environment: [:]))
        #expect(!LoggingSetup.mayColour(isTerminal: true, environment: ["NO_COLOR": "1"]))
        #expect(!LoggingSetup.mayColour(isTerminal: true, environment: ["TERM": "dumb"]))
        #expect(!LoggingSetup.mayColour(isTerminal: false, environment: [:]))
    }
}
