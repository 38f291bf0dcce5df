import ArgumentParser

/// A position on the command line: `90`, `+30`, `-10`.
struct SeekPosition: ExpressibleByArgument, Hashable {
    private let offset: Double
    private let isRelative: Bool

    init?(argument: String) {
        guard let number = Double(argument), number.isFinite else { return nil }
        self.offset = number
        self.isRelative = argument.hasPrefix("+") || argument.hasPrefix("-")
    }

    /// The position in seconds from the beginning, never before it.
    func seconds(from current: Double) -> Double {
        max(0, self.isRelative ? current + self.offset : self.offset)
    }
}
