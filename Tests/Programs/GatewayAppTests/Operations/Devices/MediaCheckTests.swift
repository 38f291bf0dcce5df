import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import HTTPFetching
import MediaCatalogues
import Synchronization
import Testing

@testable import DeviceControl

/// What `media.check` asks servers, and what it makes of their answers.
@Suite(.timeLimit(.minutes(1))) struct MediaCheckTests {
    /// Answers by URL, and remembers what it was asked.
    private final class ScriptedServers: HTTPProbing {
        private let answers: [String: Result<HTTPProbeAnswer, HTTPProbeFailure>]
        private let questions = Mutex<[HTTPProbeQuestion]>([])

        init(_ answers: [String: Result<HTTPProbeAnswer, HTTPProbeFailure>]) { self.answers = answers }

        var asked: [HTTPProbeQuestion] { self.questions.withLock { $0 } }

        func probe(_ question: HTTPProbeQuestion) async -> Result<HTTPProbeAnswer, HTTPProbeFailure> {
            self.questions.withLock { $0.append(question) }
            return self.answers[question.url] ?? .failure(HTTPProbeFailure(.unreachable, "no such server"))
        }
    }

    private static func answer(
        _ status: Int = 206, type: String? = nil, cors: String? = nil, _ more: [(name: String, value: String)] = []
    ) -> Result<HTTPProbeAnswer, HTTPProbeFailure> {
        var headers = more
        if let type { headers.append(("Content-Type", type)) }
        if let cors { headers.append(("access-control-allow-origin", cors)) }
        return .success(HTTPProbeAnswer(status: status, headers: headers))
    }

    private static func findings(
        _ role: MediaSource.Role, at url: String = "http://a/x", type: String? = nil,
        _ result: Result<HTTPProbeAnswer, HTTPProbeFailure>
    ) -> [String] {
        MediaSourceReport(MediaSource(role: role, url: url, type: type), result).findings
            .map { $0.kind.rawValue + ($0.isError ? "" : "?") }
    }

    @Test func sourcesAreThoseOfTheLoad() {
        let medium: JSONObject = [
            "contentId": "film-1", "contentUrl": "http://a/film.mp4", "contentType": "video/mp4",
            "metadata": ["images": [["url": "http://a/1.jpg"], ["url": "http://a/1.jpg"]]],
            "tracks": [
                ["trackId": 1, "type": "TEXT", "trackContentId": "http://a/de.vtt"],
                [
                    "trackId": 2, "type": "TEXT", "trackContentId": "http://a/en.ttml",
                    "trackContentType": "application/ttml+xml",
                ],
                ["trackId": 3, "type": "AUDIO"],
            ], "breakClips": [["contentId": "http://a/clip.mp4"]],
        ]
        let one = MediaSource.all(in: ["media": .object(medium)])
        #expect(
            one.sources == [
                MediaSource(role: .media, url: "http://a/film.mp4", type: "video/mp4"),
                MediaSource(role: .track, url: "http://a/de.vtt", type: "text/vtt", track: 1),
                MediaSource(role: .track, url: "http://a/en.ttml", type: "application/ttml+xml", track: 2),
                MediaSource(role: .clip, url: "http://a/clip.mp4"),
                MediaSource(role: .picture, url: "http://a/1.jpg"),
            ])
        #expect(one.leftOut == 0)
        let items = (0..<40).map { JSONValue.object(["media": ["contentId": .string("http://a/\($0)")]]) }
        let queue = MediaSource.all(in: ["queueData": ["items": .array(items)]])
        #expect(queue.sources.count == MediaSource.limit && queue.leftOut == 40 - MediaSource.limit)
        #expect(MediaSource.all(in: ["media": ["contentId": "an id of the app's"]]).sources == [])
        #expect(MediaSource.all(in: ["media": 5, "queueData": []]).sources == [])
    }

    @Test func tracksNeedTheHeaderAndTheirType() {
        #expect(Self.findings(.track, type: "text/vtt", Self.answer(type: "text/vtt; charset=utf-8", cors: "*")) == [])
        let receiver = Self.answer(type: "Text/VTT", cors: "https://www.gstatic.com")
        #expect(Self.findings(.track, type: "text/vtt", receiver) == [])
        #expect(Self.findings(.track, type: "text/vtt", Self.answer(type: "text/vtt")) == ["no_cors"])
        let other = Self.answer(type: "text/vtt", cors: "https://example.com")
        #expect(Self.findings(.track, type: "text/vtt", other) == ["no_cors"])
        #expect(Self.findings(.track, type: "text/vtt", Self.answer(type: "text/plain", cors: "*")) == ["wrong_type"])
        #expect(Self.findings(.track, type: "text/vtt", Self.answer(cors: "*")) == ["wrong_type"])
        let ttml = Self.answer(type: "application/ttml+xml", cors: "*")
        #expect(Self.findings(.track, type: "application/ttml+xml", ttml) == [])
    }

    @Test func mediaNeedPartsAndPlaylistsTheHeader() {
        #expect(Self.findings(.media, type: "video/mp4", Self.answer(type: "video/mp4")) == [])
        #expect(Self.findings(.media, type: "video/mp4", Self.answer(200, type: "video/mp4")) == ["no_ranges?"])
        let ranges = Self.answer(200, type: "video/mp4", [("Accept-Ranges", "bytes")])
        #expect(Self.findings(.media, type: "video/mp4", ranges) == [])
        #expect(Self.findings(.media, type: "video/webm", Self.answer(type: "video/mp4")) == ["wrong_type?"])
        #expect(Self.findings(.media, Self.answer(type: "text/html")) == ["wrong_type"])
        let playlist = "application/x-mpegurl"
        #expect(Self.findings(.media, at: "http://a/x.m3u8?y=1", Self.answer(200, type: playlist)) == ["no_cors"])
        #expect(
            Self.findings(
                .media, type: "application/vnd.apple.mpegurl", Self.answer(200, type: playlist, cors: "*")) == [])
        #expect(Self.findings(.picture, Self.answer(type: "image/png")) == [])
        #expect(Self.findings(.picture, Self.answer(type: "text/html")) == ["wrong_type"])
    }

    @Test func whatDoesNotAnswerIsSaid() {
        for kind in HTTPProbeFailure.Kind.allCases {
            #expect(Self.findings(.media, .failure(HTTPProbeFailure(kind, "x"))) == [kind.rawValue])
        }
        #expect(Self.findings(.track, Self.answer(404, type: "text/html")) == ["http_status"])
    }

    @Test func serversAreAskedAsTheReceiverAsks() async {
        let sources = (0..<20).map { MediaSource(role: .media, url: "http://a/\($0)") }
        let servers = ScriptedServers(
            Dictionary(uniqueKeysWithValues: (0..<19).map { ("http://a/\($0)", Self.answer(type: "video/mp4")) }))
        let reports = await CheckMedia.reports(sources, servers, true)
        #expect(reports.map(\.source) == sources, "in their order")
        #expect(reports.map(\.isFine) == Array(repeating: true, count: 19) + [false])
        #expect(servers.asked.count == 20)
        for question in servers.asked {
            #expect(question.allowsPrivate)
            #expect(question.headers.contains { $0 == ("origin", "https://www.gstatic.com") })
            #expect(question.headers.contains { $0 == ("range", "bytes=0-0") })
        }
    }

    @Test func aFewChecksAtOnce() {
        let gate = CheckGate()
        for _ in 0..<4 {
            let mayEnter = gate.enter()
            #expect(mayEnter)
        }
        let isFull = !gate.enter()
        #expect(isFull)
        gate.leave()
        let mayEnter = gate.enter()
        #expect(mayEnter)
    }

    @Test func theOperationAnswersForALoad() async throws {
        try await DeviceOperationsBench.with { bench in
            // Addresses for documentation are never connected to.
            let answer = try await bench.call(
                "media.check",
                [
                    "device": "hall", "url": "http://192.0.2.1/film.mp4",
                    "tracks": [["trackId": 3, "type": "TEXT", "trackContentId": "ftp://192.0.2.1/de.vtt"]],
                ])
            #expect(answer.string("device") == "hall" && answer.bool("fine") == false)
            let urls = answer.array("urls")?.compactMap(\.objectValue) ?? []
            #expect(urls.map { $0.string("role") } == ["media", "track"])
            let codes = urls.map { $0.array("findings")?.first?.objectValue?.string("code") }
            #expect(codes == ["refused_address", "malformed_url"])
            #expect(urls.last?.int("track") == 3)
        }
    }

    @Test func itemsOfCataloguesAreChecked() async throws {
        let folder = try TemporaryFolder()
        let text = #"[{"id": "film", "contentUrl": "http://192.0.2.1/film.mp4", "contentType": "video/mp4"}]"#
        let path = try folder.write(text, to: "films.json")
        let films = CatalogueConfiguration(name: "films") { $0.path = path }
        try await DeviceOperationsBench.with({ $0.catalogues = [films] }) { bench in
            _ = try await bench.call("catalogue.refresh", ["catalogue": "films"])
            let item: JSONObject = ["device": "hall", "catalogue": "films", "item": "film"]
            let queue: JSONObject = ["device": "hall", "queue": ["items": [["catalogue": "films", "item": "film"]]]]
            for input in [item, queue] {
                let answer = try await bench.call("media.check", input)
                let urls = answer.array("urls")?.compactMap(\.objectValue) ?? []
                #expect(urls.map { $0.string("url") } == ["http://192.0.2.1/film.mp4"])
                #expect(answer.bool("fine") == false, "an address for documentation")
            }
            let nothing: JSONObject = ["device": "hall", "catalogue": "films", "item": "no"]
            let unknown = try await bench.problem("media.check", nothing)
            #expect(unknown?.code == "unknown_item")
        }
    }
}
