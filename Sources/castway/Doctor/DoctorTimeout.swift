import ArgumentParser

/// `--timeout`: a time with its unit, `500ms` or `5s`.
struct DoctorTimeout: ExpressibleByArgument, Sendable {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        let units: [(String, Int)] = [("ms", 1), ("s", 1000), ("m", 60_000)]
        for (unit, milliseconds) in units where argument.hasSuffix(unit) {
            guard let number = Int(argument.dropLast(unit.count)), (1...60_000).contains(number),
                number * milliseconds <= 60_000
            else { continue }
            self.duration = .milliseconds(number * milliseconds)
            return
        }
        return nil
    }

    var defaultValueDescription: String { "5s" }
}
