/// A part of an expression.
indirect enum PatternNode: Equatable {
    case empty
    case scalar(ScalarSet)
    case start
    case end
    case boundary(Bool)
    case sequence([PatternNode])
    case choice(PatternNode, PatternNode)
    /// At least so often, and at most so often; without an end when nil.
    case repeated(PatternNode, Int, Int?)
}

/// Reads an expression.
struct PatternParser {
    private static let maximumDepth = 32
    private static let maximumCount = 200

    private let text: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
    }

    /// The whole of it.
    mutating func parse() throws(MessagePatternError) -> PatternNode {
        let node = try self.choice()
        guard self.place == self.text.count else { throw MessagePatternError("a ')' has no '('") }
        return node
    }

    private var next: Unicode.Scalar? { self.place < self.text.count ? self.text[self.place] : nil }

    /// Steps over a character when it comes next.
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard self.next == scalar else { return false }
        self.place += 1
        return true
    }

    private mutating func choice() throws(MessagePatternError) -> PatternNode {
        var nodes = [try self.sequence()]
        while self.take("|") { nodes.append(try self.sequence()) }
        return nodes.dropLast().reversed().reduce(nodes[nodes.count - 1]) { .choice($1, $0) }
    }

    private mutating func sequence() throws(MessagePatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let next, next != "|", next != ")" { parts.append(try self.repeated()) }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func repeated() throws(MessagePatternError) -> PatternNode {
        let part = try self.single()
        guard let (least, most) = try self.count() else { return part }
        switch part {
        case .start, .end, .boundary: throw MessagePatternError("a place in the text cannot be repeated")
        default: break
        }
        // Whether it takes little or much first makes no difference to whether it is found.
        _ = self.take("?")
        if let next, "*+?".unicodeScalars.contains(next) {
            throw MessagePatternError("a repetition cannot be repeated")
        }
        return .repeated(part, least, most)
    }

    /// How often what stands before may come; nil when it says nothing.
    private mutating func count() throws(MessagePatternError) -> (Int, Int?)? {
        if self.take("*") { return (0, nil) }
        if self.take("+") { return (1, nil) }
        if self.take("?") { return (0, 1) }
        guard self.take("{") else { return nil }
        guard let least = self.number() else {
            throw MessagePatternError("'{' wants a number; write '\\{' for a brace")
        }
        var most: Int? = least
        if self.take(",") { most = self.next == "}" ? nil : self.number() ?? -1 }
        guard self.take("}"), most ?? least >= least, max(least, most ?? 0) <= Self.maximumCount else {
            throw MessagePatternError("a repetition is {m}, {m,} or {m,n}, with at most \(Self.maximumCount)")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let next, next.properties.numericType == .decimal, next.isASCII, digits.count < 4 {
            digits.unicodeScalars.append(next)
            self.place += 1
        }
        return Int(digits)
    }

    private mutating func single() throws(MessagePatternError) -> PatternNode {
        guard let next else { return .empty }
        self.place += 1
        switch next {
        case "^": return .start
        case "$": return .end
        case ".": return .scalar(.all)
        case "(": return try self.group()
        case "[": return .scalar(try self.set())
        case "\\": return try self.escaped()
        case "*", "+", "?", "{": throw MessagePatternError("'\(next)' has nothing before it")
        default: return .scalar(ScalarSet(ranges: [next.value...next.value]))
        }
    }

    private mutating func group() throws(MessagePatternError) -> PatternNode {
        guard self.depth < Self.maximumDepth else {
            throw MessagePatternError("groups are nested more than \(Self.maximumDepth) deep")
        }
        if self.take("?"), !self.take(":") {
            throw MessagePatternError("of groups with '(?' there is '(?:' alone")
        }
        self.depth += 1
        let node = try self.choice()
        self.depth -= 1
        guard self.take(")") else { throw MessagePatternError("a '(' has no ')'") }
        return node
    }

    private mutating func escaped() throws(MessagePatternError) -> PatternNode {
        if self.take("b") { return .boundary(true) }
        if self.take("B") { return .boundary(false) }
        return .scalar(try self.escapedSet())
    }

    private mutating func escapedSet() throws(MessagePatternError) -> ScalarSet {
        guard let next else { throw MessagePatternError("it ends in '\\'") }
        self.place += 1
        switch next {
        case "d": return .digit
        case "D": return ScalarSet.digit.inverted
        case "w": return .word
        case "W": return ScalarSet.word.inverted
        case "s": return .space
        case "S": return ScalarSet.space.inverted
        case "t": return ScalarSet(ranges: [0x09...0x09])
        default:
            guard !ScalarSet.word.contains(next) else { throw MessagePatternError("'\\\(next)' is not known") }
            return ScalarSet(ranges: [next.value...next.value])
        }
    }

    /// What stands in brackets, behind the first one.
    private mutating func set() throws(MessagePatternError) -> ScalarSet {
        let isNegated = self.take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !(self.next == "]" && !ranges.isEmpty) {
            let (first, isOne) = try self.element()
            guard isOne, let low = first.ranges.first?.lowerBound, self.next == "-", self.place + 1 < self.text.count,
                self.text[self.place + 1] != "]"
            else {
                ranges += first.ranges
                continue
            }
            self.place += 1
            let (last, isOneToo) = try self.element()
            guard isOneToo, let high = last.ranges.first?.lowerBound, low <= high else {
                throw MessagePatternError("a range in '[…]' goes from a character to a later one")
            }
            ranges.append(low...high)
        }
        self.place += 1
        return ScalarSet(ranges: ranges, isNegated: isNegated)
    }

    /// A character of a set, or a class.
    private mutating func element() throws(MessagePatternError) -> (set: ScalarSet, isOne: Bool) {
        guard let next else { throw MessagePatternError("a '[' has no ']'") }
        self.place += 1
        guard next == "\\" else { return (ScalarSet(ranges: [next.value...next.value]), true) }
        let set = try self.escapedSet()
        guard !set.isNegated else { throw MessagePatternError("'\\D', '\\W' and '\\S' cannot stand in '[…]'") }
        return (set, set.ranges.count == 1 && set.ranges.allSatisfy { $0.count == 1 })
    }
}
