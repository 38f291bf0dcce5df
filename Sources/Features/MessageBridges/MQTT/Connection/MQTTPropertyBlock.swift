import NIOCore

/// The block of properties of a packet of MQTT 5 (2.2.2 there), as far as a server may send them.
enum MQTTPropertyBlock {
    private enum Form {
        /// A byte that is 0 or 1.
        case flag
        case short
        case number
        case variable
        case text
        case binary
        case pair
    }

    private struct Property {
        let form: Form
        let packets: Set<MQTTPacketKind>
        /// Rejects 0.
        var needsValue = false
        /// Allows several of them.
        var repeats = false
    }

    private static let reasoned: Set<MQTTPacketKind> = [
        .connack, .puback, .pubrec, .pubrel, .pubcomp, .suback, .unsuback, .disconnect,
    ]

    /// Topic aliases (35) are missing: none may be used, since the gateway allows none.
    private static let properties: [Int: Property] = [
        1: Property(form: .flag, packets: [.publish]),
        2: Property(form: .number, packets: [.publish]),
        3: Property(form: .text, packets: [.publish]),
        8: Property(form: .text, packets: [.publish]),
        9: Property(form: .binary, packets: [.publish]),
        11: Property(form: .variable, packets: [.publish], needsValue: true, repeats: true),
        17: Property(form: .number, packets: [.connack]),
        18: Property(form: .text, packets: [.connack]),
        19: Property(form: .short, packets: [.connack]),
        21: Property(form: .text, packets: [.connack]),
        22: Property(form: .binary, packets: [.connack]),
        26: Property(form: .text, packets: [.connack]),
        28: Property(form: .text, packets: [.connack, .disconnect]),
        31: Property(form: .text, packets: Self.reasoned),
        33: Property(form: .short, packets: [.connack], needsValue: true),
        34: Property(form: .short, packets: [.connack]),
        36: Property(form: .flag, packets: [.connack]),
        37: Property(form: .flag, packets: [.connack]),
        38: Property(form: .pair, packets: Self.reasoned.union([.publish]), repeats: true),
        39: Property(form: .number, packets: [.connack], needsValue: true),
        40: Property(form: .flag, packets: [.connack]),
        41: Property(form: .flag, packets: [.connack]),
        42: Property(form: .flag, packets: [.connack]),
    ]

    /// Takes a block off the front of a packet's rest.
    /// - Throws: ``MQTTMalformed`` for a block that is longer than the packet, and for a property that is unknown, cut, of another
    ///   packet, there twice, or without a value that the standard allows.
    static func check(_ body: inout ByteBuffer, of kind: MQTTPacketKind) throws(MQTTMalformed) {
        guard let length = try body.readVariableInteger(isWhole: true), var block = body.readSlice(length: length)
        else {
            throw MQTTMalformed("its properties are longer than the packet")
        }
        var seen: UInt64 = 0
        while let identifier = block.readableBytes > 0 ? try block.readVariableInteger(isWhole: true) : nil {
            guard let property = self.properties[identifier], property.packets.contains(kind) else {
                throw MQTTMalformed("it cannot have the property \(identifier)")
            }
            guard property.repeats || seen & (1 << UInt64(identifier)) == 0 else {
                throw MQTTMalformed("it has the property \(identifier) twice")
            }
            seen |= 1 << UInt64(identifier)
            guard try self.readValue(of: property, from: &block) else {
                throw MQTTMalformed("it has a forbidden value of the property \(identifier)")
            }
        }
    }

    /// - Returns: whether the value may be.
    private static func readValue(of property: Property, from block: inout ByteBuffer) throws(MQTTMalformed) -> Bool {
        let number: Int
        switch property.form {
        case .flag:
            number = Int(try block.readByte())
            guard number <= 1 else { return false }
        case .short: number = Int(try block.readNumber(bytes: 2))
        case .number: number = Int(try block.readNumber(bytes: 4))
        case .variable: number = try block.readVariableInteger(isWhole: true) ?? 0
        case .text:
            try block.readText()
            return true
        case .binary:
            try block.readBinary()
            return true
        case .pair:
            try block.readText()
            try block.readText()
            return true
        }
        return number > 0 || !property.needsValue
    }
}
