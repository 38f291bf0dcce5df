/// A second, plain reading of protobuf fields, to check the first one against.
enum WireFields {
    /// The fields that a Cast message does not have, as they stand in a well-formed input; nil when there are groups.
    static func unknown(in input: [UInt8]) -> [UInt8]? {
        var unknown: [UInt8] = []
        var rest = input[...]
        while !rest.isEmpty {
            let start = rest.startIndex
            guard let tag = Self.varint(&rest) else { return nil }
            switch tag & 7 {
            case 0: guard Self.varint(&rest) != nil else { return nil }
            case 1: rest = rest.dropFirst(8)
            case 2:
                guard let length = Self.varint(&rest).flatMap(Int.init(exactly:)) else { return nil }
                rest = rest.dropFirst(length)
            case 5: rest = rest.dropFirst(4)
            default: return nil
            }
            let isKnown =
                switch tag >> 3 {
                case 1, 5: tag & 7 == 0
                case 2, 3, 4, 6, 7: tag & 7 == 2
                default: false
                }
            if !isKnown { unknown += input[start..<rest.startIndex] }
        }
        return unknown
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
