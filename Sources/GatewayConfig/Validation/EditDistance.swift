/// How many edits lead from one word to another.
public enum EditDistance {
    /// The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours count one each.
    ///
    /// The restricted form, in which no part is edited twice; nil for words over 64 characters, which are no slips.
    static func between(_ left: String, _ right: String) -> Int? {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        guard left.count <= 64, right.count <= 64 else { return nil }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }

    /// The word that was probably meant: the nearest within a third of the length, at least one edit; the first of equals.
    public static func suggestion(for word: String, among words: [String]) -> String? {
        let limit = max(1, word.unicodeScalars.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in words {
            guard let distance = self.between(word, candidate), distance <= limit else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }
}
