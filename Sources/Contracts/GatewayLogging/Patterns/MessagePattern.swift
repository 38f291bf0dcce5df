/// A regular expression for messages of the log, which takes at most a time of the product of both lengths.
///
/// Swift's `Regex` backtracks: on a text that a peer makes up, `(a+)+$` would stop the log for ever. Here all states are
/// followed at once (Thompson's construction), so there are neither back references nor conditions on what follows.
///
/// It knows `.`, `[…]`, `\d \w \s` and their opposites, `\b`, `^`, `$`, groups, `|`, and `* + ? {m,n}`, in the words of
/// most other dialects, and is found anywhere in a text.
struct MessagePattern: Sendable {
    /// A message that is longer, in code points, is judged by its beginning.
    static let judgedLength = 4096

    private let steps: [PatternStep]
    private let ignoresCase: Bool

    /// Compiles an expression.
    /// - Throws: ``MessagePatternError`` for what is no expression, or too large a one.
    init(_ text: String, ignoresCase: Bool = false) throws(MessagePatternError) {
        var parser = PatternParser(text)
        self.steps = try parser.parse() + [.match]
        self.ignoresCase = ignoresCase
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars.prefix(Self.judgedLength))
        var (present, next) = (States(self.steps.count), States(self.steps.count))
        for place in 0...scalars.count {
            // It may begin at every place.
            if self.follow(0, scalars, place, &present) { return true }
            guard place < scalars.count else { return false }
            let variants = self.variants(of: scalars[place])
            next.removeAll()
            for state in present.list {
                guard case .scalar(let set) = self.steps[state], variants.contains(where: set.contains) else {
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
            switch self.steps[state] {
            case .scalar: break
            case .match: return true
            case .jump(let distance): waiting.append(state + distance)
            case .fork(let distance): waiting += [state + 1, state + distance]
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

struct MessagePatternError: Error, Equatable, CustomStringConvertible {
    /// The fault, in a few words.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
