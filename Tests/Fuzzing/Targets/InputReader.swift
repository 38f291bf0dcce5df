/// Takes an input apart, from its front. Behind the end come zeros, so that every input means something.
struct InputReader {
    private var input: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        self.input = input[...]
    }

    var isEmpty: Bool { self.input.isEmpty }

    mutating func byte() -> UInt8 {
        self.input.popFirst() ?? 0
    }

    mutating func number(below limit: Int) -> Int {
        Int(self.byte()) % max(1, limit)
    }

    /// True once in so many times.
    mutating func once(in count: Int) -> Bool {
        self.number(below: count) == 1
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[self.number(below: elements.count)]
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { self.input = self.input.dropFirst(count) }
        return Array(self.input.prefix(count))
    }

    mutating func rest() -> [UInt8] {
        self.bytes(self.input.count)
    }
}
