import NIOCore
import Testing

@testable import MessageBridges

@Suite struct MQTTInspectorTests {
    private static let greeting = "20 03 00 00 00 "

    /// Reads a stream, all at once or byte by byte: the packets, and the fault at its end.
    private static func read(
        _ hex: String, _ version: MQTTConfiguration.Version = .v5, byByte: Bool = false
    ) -> (packets: [String], fault: String?) {
        let bytes = hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        var inspector = MQTTInspector(version, maximumPacket: 200)
        var waiting = ByteBuffer()
        var packets: [String] = []
        for piece in byByte ? bytes.map({ [$0] }) : [bytes] {
            waiting.writeBytes(piece)
            do throws(MQTTMalformed) {
                while let packet = try inspector.next(from: &waiting) {
                    packets.append(
                        packet.readableBytesView.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(
                            separator: " "))
                }
            } catch {
                return (packets, error.description)
            }
        }
        return (packets, nil)
    }

    /// What libmosquitto 2.0.11 aborts at, and everything else of 2.2.2 of MQTT 5 that is no block of properties.
    @Test(arguments: [
        ("30 06 00 01 61 02 7f 00", "PUBLISH: it cannot have the property 127"),
        ("30 05 00 01 61 7f 01", "PUBLISH: its properties are longer than the packet"),
        ("30 07 00 01 61 02 02 00 00", "PUBLISH: it ends too early"),
        ("30 06 00 01 61 02 80 00", "PUBLISH: a length has more bytes than it needs"),
        ("30 08 00 01 61 04 01 00 01 00", "PUBLISH: it has the property 1 twice"),
        ("30 06 00 01 61 02 01 02", "PUBLISH: it has a forbidden value of the property 1"),
        ("30 06 00 01 61 02 0b 00", "PUBLISH: it has a forbidden value of the property 11"),
        ("30 09 00 01 61 03 23 00 01 68 69", "PUBLISH: it cannot have the property 35"),
        ("30 07 00 01 61 03 21 00 05", "PUBLISH: it cannot have the property 33"),
        ("30 09 00 01 61 05 03 00 02 c0 80", "PUBLISH: it has text that is not UTF-8, or has NUL"),
        ("30 05 00 02 61 00 00", "PUBLISH: it has text that is not UTF-8, or has NUL"),
        ("30 06 00 03 ed a0 80 00", "PUBLISH: it has text that is not UTF-8, or has NUL"),
        ("30 09 00 01 61 ff ff ff ff 01 00", "PUBLISH: a length has more than 4 bytes"),
        ("30 03 00 00 00", "PUBLISH: it has no topic"),
        ("30 03 00 05 61", "PUBLISH: it ends too early"),
        ("32 06 00 01 61 00 00 00", "PUBLISH: it has the number 0"),
        ("36 06 00 01 61 00 01 00", "PUBLISH: it cannot have the flags 6"),
        ("30 ff ff ff ff 01", "PUBLISH: a length has more than 4 bytes"),
        ("30 80 00", "PUBLISH: a length has more bytes than it needs"),
        ("30 c9 01", "PUBLISH: 204 bytes are more than 200"),
        ("40 06 00 01 87 02 7f 00", "PUBACK: it cannot have the property 127"),
        ("40 05 00 01 87 00 00", "PUBACK: something is behind its end"),
        ("40 01 00", "PUBACK: it ends too early"),
        ("50 05 00 01 87 02 1f", "PUBREC: its properties are longer than the packet"),
        ("60 02 00 01", "PUBREL: it cannot have the flags 0"),
        ("70 05 00 01 92 02 00", "PUBCOMP: its properties are longer than the packet"),
        ("90 03 00 01 00", "SUBACK: it has no reason codes"),
        ("90 06 00 01 02 7f 00 01", "SUBACK: it cannot have the property 127"),
        ("b0 06 00 01 02 11 00 00", "UNSUBACK: it cannot have the property 17"),
        ("d0 01 00", "PINGRESP: something is behind its end"),
        ("e0 07 8b 05 11 00 00 00 01", "DISCONNECT: it cannot have the property 17"),
        ("f0 02 18 00", "no packet of a broker begins with byte 240"),
        ("10 00", "no packet of a broker begins with byte 16"),
        ("20 03 00 00 00", "CONNACK: a second one"),
    ]) func whatIsNoPacketIsTold(_ packet: String, _ fault: String) {
        for byByte in [false, true] {
            let reading = Self.read(Self.greeting + "30 04 00 01 61 00 " + packet, byByte: byByte)
            #expect(reading.packets == ["20 03 00 00 00", "30 04 00 01 61 00"])
            #expect(reading.fault == fault)
        }
    }

    @Test(arguments: [
        ("30 04 00 01 61 00", "PUBLISH: it comes before a CONNACK"),
        ("20 06 00 00 03 21 00 00", "CONNACK: it has a forbidden value of the property 33"),
        ("20 05 00 00 02 24 02", "CONNACK: it has a forbidden value of the property 36"),
        ("20 05 00 00 02 01 00", "CONNACK: it cannot have the property 1"),
        ("20 03 02 00 00", "CONNACK: reserved flags are set"),
        ("20 02 00 00", "CONNACK: it ends too early"),
    ]) func aConnectionBeginsWithAConnack(_ packet: String, _ fault: String) {
        #expect(Self.read(packet).fault == fault)
    }

    @Test(arguments: [
        "20 1b 01 00 18 11 00 00 00 05 12 00 01 63 13 00 1e 21 00 40 22 00 05 24 01 25 01 2a 01", "20 02 00 01",
    ]) func whatABrokerMaySayOfItselfPasses(_ packet: String) {
        let reading = Self.read(packet, byByte: true)
        #expect(reading.fault == nil && reading.packets == [packet])
    }

    @Test func packetsOfBothVersionsPass() {
        let later = [
            "32 0a 00 03 78 2f 79 00 07 00 68 69", "30 0b 00 01 61 07 26 00 01 6b 00 01 76", "40 02 00 01",
            "40 03 00 01 10", "40 0a 00 03 87 06 1f 00 03 66 6f 6f", "50 02 00 01", "62 02 00 01", "70 02 00 01",
            "90 04 00 01 00 01", "b0 04 00 01 00 11", "d0 00", "e0 00", "e0 01 8b", "e0 02 8b 00",
        ]
        for byByte in [false, true] {
            let reading = Self.read(Self.greeting + later.joined(separator: " "), byByte: byByte)
            #expect(reading.fault == nil && Array(reading.packets.dropFirst()) == later)
        }
        let former = [
            "20 02 00 00", "30 05 00 01 61 7f 00", "32 07 00 01 61 00 01 7f 00", "40 02 00 01", "90 03 00 01 80",
            "b0 02 00 01", "d0 00",
        ]
        let reading = Self.read(former.joined(separator: " "), .v311)
        #expect(reading.fault == nil && reading.packets == former)
        #expect(Self.read("20 02 00 00 40 03 00 01 00", .v311).fault == "PUBACK: something is behind its end")
        #expect(Self.read("20 02 00 00 e0 00", .v311).fault == "no packet of a broker begins with byte 224")
    }
}
