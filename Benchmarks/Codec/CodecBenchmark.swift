import Glibc

/// Says what a message costs in the codec and in the router: one JSON object a line, nanoseconds per operation.
///
/// `CodecBenchmark [ROUNDS]`; the best of the rounds counts, since everything else on the machine only adds.
@main
enum CodecBenchmark {
    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
        var measurements: [Measurement] = []
        for payload in SamplePayload.all {
            measurements += try CodecCases.all(payload)
            measurements += try RoutingCases.all(payload)
            measurements += try PluginCases.all(payload)
        }
        // Round by round, not case by case: what disturbs the machine for a while disturbs every case.
        for _ in 0..<max(1, rounds) {
            for index in measurements.indices { try measurements[index].runOnce() }
        }
        for measurement in measurements {
            print(
                """
                {"name":"\(measurement.name)","payload":"\(measurement.payload)",\
                "nanoseconds":\(measurement.nanoseconds)}
                """)
        }
    }
}
