import CastClient
import CastWire
import Testing

@testable import DeviceSessions

@Suite struct LaunchOptionsTests {
    @Test func aPlainLaunchAsksForNothing() {
        let request = LaunchOptions().request(for: "CC1AD845", requestID: 5)
        #expect(request.json == ["type": "LAUNCH", "requestId": 5, "appId": "CC1AD845"])
    }

    @Test func everythingHasItsPlace() {
        var options = LaunchOptions(
            languageCode: "en-US", credentials: .init(credentials: "c", credentialsType: "cloud"),
            requiredFeatures: ["STREAM_TRANSFER"], senderName: "Lobby")
        options.isAndroidReceiverCompatible = true
        let request = options.request(for: "ABCD1234", requestID: 7)
        #expect(request.language == "en-US")
        #expect(request.supportedAppTypes == ["ANDROID_TV", "WEB"])
        #expect(request.json.string("senderDeviceName") == "Lobby")
        #expect(request.credentials?.credentials == "c")
        #expect(request.credentials?.credentialsType == "cloud")
        #expect(request.appParams?.objectValue?.array("requiredFeatures") == ["STREAM_TRANSFER"])
        options.isAndroidReceiverCompatible = false
        #expect(options.supportedAppTypes == ["WEB"])
    }

    @Test(
        arguments: [
            (ReceiverVolume(level: 0.3, muted: false), 0.05, false),
            (ReceiverVolume(level: 0.3, controlType: .attenuation, stepInterval: 0.01), 0.01, false),
            (ReceiverVolume(level: 0.3, controlType: .fixed, stepInterval: 0.01), 0, true),
        ])
    func traits(volume: ReceiverVolume, step: Double, isFixed: Bool) {
        let traits = SessionTraits(volume)
        #expect(traits.volumeIncrement == step)
        #expect(traits.isFixedVolume == isFixed)
        #expect(traits.minimumVolume == (isFixed ? 0.3 : 0))
        #expect(traits.maximumVolume == (isFixed ? 0.3 : 1))
        #expect(traits.supportsMuting == !isFixed)
    }
}
