/// Sizes as `gateway.yaml` writes them: a whole number of `B`, `KiB`, `MiB` or `GiB`.
enum ByteSize {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// A number of bytes in the largest unit that needs no fraction.
    static func text(_ bytes: Int) -> String {
        let unit = self.units.first { bytes != 0 && bytes % $0.bytes == 0 }
        return unit.map { "\(bytes / $0.bytes)\($0.suffix)" } ?? "\(bytes)B"
    }

    /// Reads a size.
    ///
    /// - Throws: What is wrong, without naming the key.
    static func bytes(_ text: String) throws(ConfigTextError) -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard !digits.isEmpty else {
            throw ConfigTextError(.malformedValue, "must be a size such as 64KiB, not '\(text.shown)'")
        }
        if suffix.isEmpty {
            throw ConfigTextError(
                .missingUnit, "needs a unit", hint: "write \(String(digits).shown)B, \(String(digits).shown)KiB, …")
        }
        guard let unit = self.units.first(where: { $0.suffix == suffix }) else {
            throw ConfigTextError(
                .malformedValue,
                "must be a size such as 64KiB, not '\(text.shown)'",
                hint: "a whole number with B, KiB, MiB or GiB"
            )
        }
        guard let count = Int(digits) else { throw ConfigTextError(.outOfRange, "is too large") }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        guard !overflow else { throw ConfigTextError(.outOfRange, "is too large") }
        return bytes
    }
}
