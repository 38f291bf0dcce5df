import CastClient
package import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayOperations
import GatewaySettings
import HTTPFetching
import MediaCatalogues

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
    static let result = MediaCheckResult.result("What was found")
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
        return MediaCheckResult.json((device, (reports, leftOut)))
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

/// The check of a load for a device.
struct MediaCheckResult: ResultRecord {
    typealias Source = (device: DeviceResolver.NamedDevice, servers: MediaServersResult.Source)

    let device = Field("device", "The device") { $0.device.name }
    let servers = Embedded(MediaServersResult.self) { $0.servers }

    static let layout = ResultLayout(MediaCheckResult())
}

/// The answers of the servers of a load.
package struct MediaServersResult: ResultRecord {
    package typealias Source = (reports: [MediaSourceReport], leftOut: Int)

    package let isFine = Field("fine", "Whether no address has a finding of the severity `error`") {
        $0.reports.allSatisfy(\.isFine)
    }
    package let sources = Field("urls", listOf: MediaSourceResult.self, "Each address, in the order of the load") {
        $0.reports
    }
    package let leftOut = Field("left_out", "How many addresses beyond \(MediaSource.limit) were not asked") {
        $0.leftOut
    }

    package static let layout = ResultLayout(MediaServersResult())
}

/// The answer of one server.
package struct MediaSourceResult: ResultRecord {
    package typealias Source = MediaSourceReport

    package let role = Field("role", "What is there") { $0.source.role }
    package let url = Field("url", "The address") { $0.source.url }
    package let track = Field.optional("track", "The id of the track") { $0.source.track }
    package let isFine = Field("fine", "Whether it has no finding of the severity `error`") { $0.isFine }
    package let isReachable = Field("reachable", "Whether the server answered") { $0.status != nil }
    package let status = Field.optional("status", "The HTTP status") { $0.status }
    package let contentType = Field.optional("content_type", "The type that the server says") { $0.type }
    package let crossOrigin = Field.optional(
        "cors",
        "Which pages may read it: of `any` origin, the `receiver`'s, those of an `other` one, or none (`missing`)"
    ) { $0.crossOrigin }
    package let givesRanges = Field.optional("ranges", "Whether the server gives parts of it") { $0.givesRanges }
    package let findings = Field(
        "findings", listOf: MediaFindingResult.self, "What is not as the receiver needs it"
    ) { $0.findings }

    package static let layout = ResultLayout(MediaSourceResult())
}

/// A finding at one address.
package struct MediaFindingResult: ResultRecord {
    package typealias Source = MediaFinding

    package let code = Field("code", "What is wrong") { $0.kind }
    package let severity = Field(
        "severity", "`error`: the receiver plays or shows nothing of it; `warning`: it may",
        as: .word(["error", "warning"])
    ) { $0.isError ? "error" : "warning" }
    package let text = Field("text", "What is wrong, in a sentence") { $0.text }

    package static let layout = ResultLayout(MediaFindingResult())
}
