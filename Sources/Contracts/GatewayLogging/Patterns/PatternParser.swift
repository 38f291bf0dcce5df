/// A step of a compiled expression. Distances count from the step itself, so that steps can be copied and put after others.
enum PatternStep: Sendable {
    /// Takes a character of the set.
    case scalar(ScalarSet)
    case jump(Int)
    /// Goes on at the next step and at the distance.
    case fork(Int)
    case start
    case end
    /// Between a word and what is none, or (false) anywhere else.
    case boundary(Bool)
    case match
}

struct ScalarSet: Sendable {
    var ranges: [ClosedRange<UInt32>]
    var isNegated = false

    static let all = ScalarSet(ranges: [0...0x10FFFF])
    static let digit = ScalarSet(ranges: [0x30...0x39])
    static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20])

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        self.ranges.contains { $0.contains(scalar.value) } != self.isNegated
    }

    var inverted: ScalarSet { ScalarSet(ranges: self.ranges, isNegated: !self.isNegated) }
}

/// Compiles an expression to steps.
struct PatternParser {
    private static let maximumDepth = 32
    /// More steps are refused: `(a{50}){50}` is short to write.
    private static let maximumSteps = 500
    private static let maximumCount = 200

    private let text: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ text: String) {
        self.text = Array(text.unicodeScalars)
    }

    mutating func parse() throws(MessagePatternError) -> [PatternStep] {
        let steps = try self.choice()
        guard self.place == self.text.count else { throw MessagePatternError("a ')' has no '('") }
        return steps
    }

    private var next: Unicode.Scalar? { self.place < self.text.count ? self.text[self.place] : nil }

    /// Steps over a character when it comes next.
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard self.next == scalar else { return false }
        self.place += 1
        return true
    }

    private mutating func choice() throws(MessagePatternError) -> [PatternStep] {
        var steps = try self.sequence()
        while self.take("|") {
            let other = try self.sequence()
            steps = try self.checked([.fork(steps.count + 2)] + steps + [.jump(other.count + 1)] + other)
        }
        return steps
    }

    private mutating func sequence() throws(MessagePatternError) -> [PatternStep] {
        var steps: [PatternStep] = []
        while let next, next != "|", next != ")" { steps = try self.checked(steps + self.repeated()) }
        return steps
    }

    private func checked(_ steps: [PatternStep]) throws(MessagePatternError) -> [PatternStep] {
        guard steps.count <= Self.maximumSteps else {
            throw MessagePatternError("it has more than \(Self.maximumSteps) steps when repetitions are written out")
        }
        return steps
    }

    private mutating func repeated() throws(MessagePatternError) -> [PatternStep] {
        let part = try self.single()
        guard let (least, most) = try self.count() else { return part }
        switch part.first {
        case .start where part.count == 1, .end where part.count == 1, .boundary where part.count == 1:
            throw MessagePatternError("a place in the text cannot be repeated")
        default: break
        }
        // Whether it takes little or much first makes no difference to whether it is found.
        _ = self.take("?")
        if let next, "*+?".unicodeScalars.contains(next) {
            throw MessagePatternError("a repetition cannot be repeated")
        }
        var steps = [PatternStep](Array(repeating: part, count: least).joined())
        if let most {
            // Each optional part can be left with all that follow it.
            for left in stride(from: most - least, to: 0, by: -1) {
                steps += [.fork(left * (part.count + 1))] + part
            }
        } else {
            steps += [.fork(part.count + 2)] + part + [.jump(-part.count - 1)]
        }
        return try self.checked(steps)
    }

    /// The bounds of a repetition, without an upper one when that is nil; nil when there is none.
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

    private mutating func single() throws(MessagePatternError) -> [PatternStep] {
        guard let next else { return [] }
        self.place += 1
        switch next {
        case "^": return [.start]
        case "$": return [.end]
        case ".": return [.scalar(.all)]
        case "(": return try self.group()
        case "[": return [.scalar(try self.set())]
        case "\\": return [try self.escaped()]
        case "*", "+", "?", "{": throw MessagePatternError("'\(next)' has nothing before it")
        default: return [.scalar(ScalarSet(ranges: [next.value...next.value]))]
        }
    }

    private mutating func group() throws(MessagePatternError) -> [PatternStep] {
        guard self.depth < Self.maximumDepth else {
            throw MessagePatternError("groups are nested more than \(Self.maximumDepth) deep")
        }
        if self.take("?"), !self.take(":") {
            throw MessagePatternError("of groups with '(?' there is '(?:' alone")
        }
        self.depth += 1
        let steps = try self.choice()
        self.depth -= 1
        guard self.take(")") else { throw MessagePatternError("a '(' has no ')'") }
        return steps
    }

    private mutating func escaped() throws(MessagePatternError) -> PatternStep {
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

    /// Reads the rest of a set after its first bracket.
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
