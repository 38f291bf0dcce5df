import CastClient
import CastWire
import GatewayConfig
import GatewayCore
import GatewayOperations
import HTTPFetching

/// `media.check`
struct CheckMedia: DeviceControlOperation {
    static let name: OperationName = "media.check"
    static let scopedParts = LoadMedia.scopedParts
    static let route = OperationRoute(.post, "/devices/{device}/media/check")
    static let scope = OperationScope.control
    static let isAnswerKept = false
    static let reach = OperationReach.device
    static let summary =
        "Says whether the servers of a load give a receiver what it needs: media, text tracks, pictures"
    static let details =
        "It takes what `media.load` takes, asks each address as the receiver's page does, reads no more than the heads of the answers, and has "
        + "the device do nothing. The gateway asks, so that what only the device can reach is `unreachable`. Private addresses and those of the "
        + "gateway's machine are asked when `media.check.allow_private` of `gateway.yaml` says so, and are `refused_address` otherwise."
    static let result = OperationResult(
        "What was found",
        [
            .init("device", .text, "The device"),
            .init("fine", .boolean, "Whether no address has a finding of the severity `error`"),
            .init(
                "urls",
                .list(
                    .object([
                        .init("role", .word(MediaSource.Role.allCases.map(\.rawValue)), "What is there"),
                        .init("url", .text, "The address"),
                        .optional("track", .integer, "The id of the track"),
                        .init("fine", .boolean, "Whether it has no finding of the severity `error`"),
                        .init("reachable", .boolean, "Whether the server answered"),
                        .optional("status", .integer, "The HTTP status"),
                        .optional("content_type", .text, "The type that the server says"),
                        .optional(
                            "cors", .word(MediaSourceReport.CrossOrigin.allCases.map(\.rawValue)),
                            "Which pages may read it: of `any` origin, the `receiver`'s, those of an `other` one, or none (`missing`)"
                        ),
                        .optional("ranges", .boolean, "Whether the server gives parts of it"),
                        .init(
                            "findings",
                            .list(
                                .object([
                                    .init("code", .word(MediaFinding.Kind.allCases.map(\.rawValue)), "What is wrong"),
                                    .init(
                                        "severity", .word(["error", "warning"]),
                                        "`error`: the receiver plays or shows nothing of it; `warning`: it may"),
                                    .init("text", .text, "What is wrong, in a sentence"),
                                ])), "What is not as the receiver needs it"),
                    ])), "Each address, in the order of the load"),
            .init("left_out", .integer, "How many addresses beyond \(MediaSource.limit) were not asked"),
        ])
    static let problems =
        DeviceProblem.named + CatalogueMedia.problems + [
            OperationProblemCase("too_many_checks", 429, "as many checks are under way as may be at once")
        ]

    /// How many servers of one check are asked at once.
    private static let width = 8

    let controls: DeviceControls

    func perform(_ input: LoadInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.resolver.device(input.device, for: caller)
        let preferences = self.controls.context.configuration.current.media
        let load = try input.resolved(by: self.controls.catalogue)
        let (sources, leftOut) = MediaSource.all(in: load.command(by: preferences).body)
        guard self.controls.checks.enter() else {
            throw OperationProblem("too_many_checks", status: 429, "too many checks of media are under way")
        }
        defer { self.controls.checks.leave() }
        let reports = await Self.reports(sources, self.controls.prober, preferences.check.allowsPrivate)
        return [
            "device": .string(device.name), "fine": .bool(reports.allSatisfy(\.isFine)),
            "urls": .array(reports.map { .object($0.json) }), "left_out": .number(leftOut),
        ]
    }

    /// Asks the servers, a few at once.
    /// - Returns: the reports in the order of the sources.
    static func reports(
        _ sources: [MediaSource], _ prober: any HTTPProbing, _ allowsPrivate: Bool
    ) async -> [MediaSourceReport] {
        await withTaskGroup(of: (index: Int, report: MediaSourceReport).self) { group in
            var waiting = sources.enumerated().makeIterator()
            func begin() {
                guard let (index, source) = waiting.next() else { return }
                group.addTask {
                    let question = HTTPProbeQuestion(
                        source.url, headers: MediaSourceReport.headers, allowsPrivate: allowsPrivate)
                    return (index, MediaSourceReport(source, await prober.probe(question)))
                }
            }
            for _ in 0..<Self.width { begin() }
            var reports: [(index: Int, report: MediaSourceReport)] = []
            while let report = await group.next() {
                reports.append(report)
                begin()
            }
            return reports.sorted { $0.index < $1.index }.map(\.report)
        }
    }
}
