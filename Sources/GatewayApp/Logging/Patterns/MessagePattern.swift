/// A regular expression for messages of the log, which is never slow: every expression is tried on every message in a time that is at
/// most the product of their lengths.
///
/// There is no backtracking, and so neither are there back references and conditions on what follows. It knows `.`, `[…]`, `\d \w \s` and
/// their opposites, `\b`, `^`, `$`, groups, `|`, and `* + ? {m,n}`, in the words of most other dialects. It is found anywhere in a text.
struct MessagePattern: Sendable {
    /// A message that is longer, in code points, is judged by its beginning.
    static let judgedLength = 4096

    private let program: [PatternInstruction]
    private let ignoresCase: Bool

    /// Compiles an expression.
    /// - Parameter ignoresCase: whether upper and lower case are the same.
    /// - Throws: ``MessagePatternError`` for what is no expression, or too large a one.
    init(_ text: String, ignoresCase: Bool = false) throws(MessagePatternError) {
        var parser = PatternParser(text)
        var compiler = PatternCompiler()
        try compiler.add(parser.parse())
        self.program = compiler.program + [.match]
        self.ignoresCase = ignoresCase
    }

    /// Whether the expression is found in a text.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars.prefix(Self.judgedLength))
        var (present, next) = (States(self.program.count), States(self.program.count))
        for place in 0...scalars.count {
            // It may begin at every place.
            if self.follow(0, scalars, place, &present) { return true }
            guard place < scalars.count else { return false }
            let variants = self.variants(of: scalars[place])
            next.removeAll()
            for state in present.list {
                guard case .scalar(let set) = self.program[state], variants.contains(where: set.contains) else {
                    continue
                }
                if self.follow(state + 1, scalars, place + 1, &next) { return true }
            }
            swap(&present, &next)
        }
        return false
    }

    /// Adds a state, and those that can be reached from it without a character.
    /// - Returns: whether the end is among them.
    private func follow(_ start: Int, _ text: [Unicode.Scalar], _ place: Int, _ states: inout States) -> Bool {
        var waiting = [start]
        while let state = waiting.popLast() {
            guard states.insert(state) else { continue }
            switch self.program[state] {
            case .scalar: break
            case .match: return true
            case .jump(let target): waiting.append(target)
            case .either(let one, let other): waiting += [one, other]
            case .start: if place == 0 { waiting.append(state + 1) }
            case .end: if place == text.count { waiting.append(state + 1) }
            case .boundary(let isWanted):
                let before = place > 0 && ScalarSet.word.contains(text[place - 1])
                let after = place < text.count && ScalarSet.word.contains(text[place])
                if (before != after) == isWanted { waiting.append(state + 1) }
            }
        }
        return false
    }

    private func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard self.ignoresCase else { return [scalar] }
        let mapped = [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
        return [scalar] + mapped.compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil }
    }

    /// The states that an expression can be in.
    private struct States {
        private(set) var list: [Int] = []
        private var marks: [Bool]

        init(_ count: Int) {
            self.marks = Array(repeating: false, count: count)
        }

        /// - Returns: whether it is new.
        mutating func insert(_ state: Int) -> Bool {
            guard !self.marks[state] else { return false }
            self.marks[state] = true
            self.list.append(state)
            return true
        }

        mutating func removeAll() {
            for state in self.list { self.marks[state] = false }
            self.list.removeAll(keepingCapacity: true)
        }
    }
}

/// Why a text is no expression that ``MessagePattern`` takes.
struct MessagePatternError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, in a few words.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A set of characters.
struct ScalarSet: Sendable, Equatable {
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

/// One step of a compiled expression.
enum PatternInstruction: Sendable, Equatable {
    /// Takes a character of the set, and goes on with the next step.
    case scalar(ScalarSet)
    case jump(Int)
    /// Goes on at both.
    case either(Int, Int)
    case start
    case end
    /// Between a word and what is none, or nowhere there.
    case boundary(Bool)
    case match
}

/// Turns the parts of an expression into steps.
struct PatternCompiler {
    /// More steps are refused: `(a{50}){50}` is short to write.
    private static let maximumSteps = 500

    private(set) var program: [PatternInstruction] = []

    mutating func add(_ node: PatternNode) throws(MessagePatternError) {
        switch node {
        case .empty: break
        case .scalar(let set): try self.append(.scalar(set))
        case .start: try self.append(.start)
        case .end: try self.append(.end)
        case .boundary(let isWanted): try self.append(.boundary(isWanted))
        case .sequence(let parts): for part in parts { try self.add(part) }
        case .choice(let first, let second):
            let fork = try self.append(.match)
            try self.add(first)
            let jump = try self.append(.match)
            self.program[fork] = .either(fork + 1, self.program.count)
            try self.add(second)
            self.program[jump] = .jump(self.program.count)
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try self.add(part) }
            if let most {
                var forks: [Int] = []
                for _ in least..<most {
                    forks.append(try self.append(.match))
                    try self.add(part)
                }
                for fork in forks { self.program[fork] = .either(fork + 1, self.program.count) }
            } else {
                let fork = try self.append(.match)
                try self.add(part)
                try self.append(.jump(fork))
                self.program[fork] = .either(fork + 1, self.program.count)
            }
        }
    }

    @discardableResult
    private mutating func append(_ instruction: PatternInstruction) throws(MessagePatternError) -> Int {
        guard self.program.count < Self.maximumSteps else {
            throw MessagePatternError("it has more than \(Self.maximumSteps) steps when repetitions are written out")
        }
        self.program.append(instruction)
        return self.program.count - 1
    }
}
