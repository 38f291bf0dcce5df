import ArgumentParser

/// A colour on the command line: `#RRGGBB` or `#RRGGBBAA`.
struct TextColor: ExpressibleByArgument, Hashable {
    /// With all eight digits, as the protocol has it.
    let value: String

    init?(argument: String) {
        let digits = argument.dropFirst()
        guard argument.hasPrefix("#"), digits.count == 6 || digits.count == 8, digits.allSatisfy(\.isHexDigit) else {
            return nil
        }
        self.value = "#" + digits.uppercased() + (digits.count == 6 ? "FF" : "")
    }
}
