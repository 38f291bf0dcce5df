import ArgumentParser

/// An option for the whole process, which may stand anywhere on the command line.
struct ProcessOption {
    private let name: String
    private let arguments: [String]
    /// Where it stands, with its word.
    let place: Range<Int>
    /// The word that follows it; nil at the end of the line.
    let word: String?

    /// Finds an option before `--`; nil when it is not given.
    init?(_ name: String, in arguments: [String]) {
        let own = arguments.firstIndex(of: "--").map { arguments[..<$0] } ?? arguments[...]
        guard let index = own.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        let isJoined = own[index] != name
        self.name = name
        self.arguments = arguments
        self.place = index..<index + (isJoined ? 1 : 2)
        self.word = isJoined ? String(own[index].dropFirst(name.count + 1)) : own.dropFirst(index + 1).first
    }

    var rest: [String] { Array(self.arguments[..<self.place.lowerBound] + self.arguments[self.place.upperBound...]) }

    /// What is wrong with a word that is none of those that there are.
    func problem<Word: RawRepresentable<String>>(known words: [Word]) -> ValidationError {
        ValidationError("\(self.name) takes one of \(words.map(\.rawValue).joined(separator: ", ")).")
    }
}
