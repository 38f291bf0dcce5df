extension JSONScanner {
    /// Steps over any value as strictly as the reader reads it, but for the encoding, which is checked as a whole.
    ///
    /// What is open is kept as bits, so nesting costs no stack.
    /// - Parameter depth: how many lists and objects are open around the value.
    package mutating func skipValue(_ bytes: Span<UInt8>, depth outer: Int) throws(JSONError) {
        var depth = outer
        var objects: UInt128 = 0
        while true {
            self.skipBlanks(bytes)
            let first = try self.peek(bytes)
            var isOpen = false
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= JSONReader.maximumDepth else { throw self.error(.tooDeep) }
                self.offset += 1
                let isObject = first == UInt8(ascii: "{")
                objects = objects << 1 | (isObject ? 1 : 0)
                isOpen = true
            case UInt8(ascii: "\""): _ = try self.skipString(bytes)
            case UInt8(ascii: "t"): try self.expect("true", bytes)
            case UInt8(ascii: "f"): try self.expect("false", bytes)
            case UInt8(ascii: "n"): try self.expect("null", bytes)
            default: try self.skipNumber(bytes)
            }
            // Ends what is complete, until something else has to follow.
            while true {
                guard depth > outer else { return }
                let isObject = objects & 1 == 1
                if self.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes) {
                    depth -= 1
                    objects >>= 1
                    isOpen = false
                    continue
                }
                guard isOpen || self.take(UInt8(ascii: ","), bytes) else { throw self.unexpected(bytes) }
                if isObject { try self.skipName(bytes) }
                break
            }
        }
    }

    private mutating func skipName(_ bytes: Span<UInt8>) throws(JSONError) {
        self.skipBlanks(bytes)
        guard try self.peek(bytes) == UInt8(ascii: "\"") else { throw self.unexpected(bytes) }
        _ = try self.skipString(bytes)
        guard self.take(UInt8(ascii: ":"), bytes) else { throw self.unexpected(bytes) }
    }
}
