/// Counts the edits that lead from one word to another.
package enum EditDistance {
    /// The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours count one each.
    ///
    /// The restricted form, in which no part is edited twice; nil for words over 64 characters, which are no slips.
    /// - Parameter hasWildcards: whether `*` in the first word stands for any run of characters, and `?` for any one.
    static func between(_ left: String, _ right: String, hasWildcards: Bool = false) -> Int? {
        let left = Array(left.unicodeScalars)
        let right = Array(right.unicodeScalars)
        guard left.count <= 64, right.count <= 64 else { return nil }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            if hasWildcards, left[row] == "*" {
                var least = last[0]
                let current = last.map { distance in
                    least = min(least, distance)
                    return least
                }
                (beforeLast, last) = (last, current)
                continue
            }
            var current = [last[0] + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column] || hasWildcards && left[row] == "?"
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
    package static func suggestion(for word: String, among words: [String]) -> String? {
        let length = word.unicodeScalars.count
        let limit = max(1, length / 3)
        var best: (word: String, distance: Int)?
        for candidate in words where abs(candidate.unicodeScalars.count - length) <= limit {
            guard let distance = self.between(word, candidate), distance <= limit else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The known word that a word or a pattern with `*` and `?` was probably meant to be; nil when it is, or matches, a known one, and
    /// when it is far from all of them.
    ///
    /// Near is what two edits lead to, one for words under six characters, none for those under three; upper and lower case count
    /// as the same letter.
    /// - Parameters:
    ///   - word: The word or the pattern as it is written.
    ///   - prefix: What all of them begin with, which makes no word longer or more alike.
    ///   - numbersDiffer: Whether words that differ in digits alone are different things, as `room-1` and `room-2`.
    package static func slip(
        in word: String, among words: [String], ignoring prefix: String = "", numbersDiffer: Bool = true
    ) -> String? {
        guard !words.contains(where: Glob(word).matches) else { return nil }
        let own = self.comparable(word, without: prefix)
        let limit = min(2, own.unicodeScalars.count { $0 != "*" && $0 != "?" } / 3)
        var best: (word: String, distance: Int)?
        for candidate in words {
            let other = self.comparable(candidate, without: prefix)
            guard let distance = self.between(own, other, hasWildcards: true), distance <= limit else { continue }
            if numbersDiffer, own != other, self.withoutDigits(own) == self.withoutDigits(other) { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    private static func comparable(_ word: String, without prefix: String) -> String {
        (word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : word).lowercased()
    }

    private static func withoutDigits(_ word: String) -> String {
        String(word.unicodeScalars.filter { !("0"..."9").contains($0) })
    }
}
