import CastDiscovery
import CastWire
import GatewayOperations
import Testing

@testable import DeviceControl

/// Which media devices are said to show.
@Suite(.timeLimit(.minutes(1))) struct DisplayQuestionTests {
    private static let screen: DeviceCapabilities = [.videoOut, .audioOut]
    private static let speaker: DeviceCapabilities = [.audioOut]

    private static func answer(
        _ type: String, _ codecs: String? = nil, _ width: Int? = nil, _ height: Int? = nil, rate: Double? = nil,
        on capabilities: DeviceCapabilities? = Self.screen
    ) -> DisplayQuestion.Answer {
        DisplayQuestion(contentType: type, codecs: codecs, width: width, height: height, frameRate: rate)
            .verdict(for: capabilities).answer
    }

    @Test func whatEveryDevicePlaysIsPlayed() {
        #expect(Self.answer("video/mp4") == .yes)
        #expect(Self.answer("Video/MP4; codecs=\"avc1.64001F, mp4a.40.2\"", nil, 1920, 1080, rate: 30) == .yes)
        #expect(Self.answer("video/mp4", "avc1.64001f", 1280, 720, rate: 60) == .yes)
        #expect(Self.answer("video/mp4", nil, 1080, 1920) == .yes)
        #expect(Self.answer("audio/flac") == .yes && Self.answer("application/dash+xml") == .yes)
        #expect(Self.answer("audio/mpeg", on: Self.speaker) == .yes)
        #expect(Self.answer("application/x-mpegurl", on: Self.speaker) == .yes)
    }

    @Test func whatDependsOnTheModelIsUnknown() {
        #expect(Self.answer("video/mp4", "hvc1.1.6.L93.B0") == .unknown)
        #expect(Self.answer("video/mp4; codecs=\"avc1.42E01E, ec-3\"") == .unknown)
        #expect(Self.answer("video/mp4", nil, 3840, 2160) == .unknown)
        #expect(Self.answer("video/mp4", nil, 1920, 1080, rate: 60) == .unknown)
        #expect(Self.answer("video/x-matroska") == .unknown)
        #expect(Self.answer("video/mp4", on: nil) == .unknown)
    }

    @Test func whatTheDeviceHasNoPartForIsNotPlayed() {
        #expect(Self.answer("video/mp4", on: Self.speaker) == .no)
        #expect(Self.answer("image/png", on: Self.speaker) == .no)
        #expect(Self.answer("application/dash+xml", "vp09.00.10.08", on: Self.speaker) == .no)
        #expect(Self.answer("application/dash+xml", nil, 640, 360, on: Self.speaker) == .no)
        #expect(Self.answer("audio/mpeg", on: .videoOut) == .no)
        #expect(Self.answer("application/dash+xml", on: []) == .no)
        for type in ["text/html", "", "video", "a/b/c", ";;", "/", "video/", "/mp4"] {
            #expect(Self.answer(type) == .no, "\(type)")
        }
    }

    @Test func callersAreTold() async throws {
        try await DeviceOperationsBench.with { bench in
            let hall = try await bench.call("device.can_display", ["device": "hall", "content_type": "video/mp4"])
            #expect(hall.string("answer") == "yes" && hall.string("kind") == "virtual")
            // A device that was written down has announced nothing.
            let wall = try await bench.call("device.can_display", ["device": "wall", "content_type": "video/mp4"])
            #expect(wall.string("answer") == "unknown" && wall.string("kind") == "real")
            let wide = try await bench.call(
                "device.can_display", ["device": "hall", "content_type": "video/mp4", "width": 3840, "height": 2160])
            #expect(wide.string("answer") == "unknown")
        }
    }
}
