import ArgumentParser

/// A volume on the command line: `0.4` or `40%`.
struct VolumeLevel: ExpressibleByArgument, Hashable {
    /// From 0 to 1.
    let value: Double

    init?(argument: String) {
        let isPercent = argument.hasSuffix("%")
        guard let number = Double(isPercent ? argument.dropLast() : argument[...]) else { return nil }
        let value = isPercent ? number / 100 : number
        guard (0...1).contains(value) else { return nil }
        self.value = value
    }
}
