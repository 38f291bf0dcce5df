import CastWire
import NIOCore
import Testing

@testable import CastClient

/// What shows that the platform of a device has carried out a request, and changes that wait for one another.
@Suite struct PlatformExpectationTests {
    private static func status(_ level: Double, muted: Bool = false, apps: [String] = [], step: Double? = 0.05)
        -> ReceiverStatus
    {
        var status = ReceiverStatus(
            application: nil, volume: ReceiverVolume(level: level, muted: muted, stepInterval: step))
        status.applications = apps.map {
            ReceiverApplication(
                appID: "CC1AD845", displayName: "", sessionID: $0, transportID: EndpointID(rawValue: $0), namespaces: []
            )
        }
        return status
    }

    private static let cases: [(request: JSONObject, before: ReceiverStatus, after: ReceiverStatus)] = [
        (["type": "SET_VOLUME", "volume": ["level": 0.4]], status(0.5), status(0.42)),
        (["type": "SET_VOLUME", "volume": ["muted": true]], status(0.5), status(0.5, muted: true)),
        (["type": "SET_VOLUME", "volume": ["level": 0.4, "muted": true]], status(0.4), status(0.4, muted: true)),
        (["type": "LAUNCH", "appId": "CC1AD845"], status(0.5, apps: ["old"]), status(0.5, apps: ["new"])),
        (["type": "STOP", "sessionId": "old"], status(0.5, apps: ["old"]), status(0.5, apps: ["new"])),
        (["type": "STOP"], status(0.5, apps: ["old"]), status(0.5)),
    ]

    @Test(arguments: cases.indices)
    func aStatusShowsIt(index: Int) throws {
        let (request, before, after) = Self.cases[index]
        let wish = try #require(PlatformExpectation(request, in: .receiver, after: before))
        #expect(!wish.isShown(by: before))
        #expect(wish.isShown(by: after))
    }

    @Test func aMemberShowsItsVolume() throws {
        let id = "1531DD63-0000-4000-8000-998E633DB4DA"
        let request: JSONObject = ["type": "SET_DEVICE_VOLUME", "deviceId": .string(id), "volume": ["level": 0.3]]
        let wish = try #require(PlatformExpectation(request, in: .multizone, after: nil))
        func updated(_ id: String, _ level: Double) -> MultizonePayload {
            .deviceUpdated(
                MultizoneDevice(deviceID: id, name: "", capabilities: 4, volume: ReceiverVolume(level: level)))
        }
        #expect(!wish.isShown(by: updated(id, 0.5)))
        #expect(!wish.isShown(by: updated("other", 0.3)))
        #expect(wish.isShown(by: updated(id.lowercased().filter { $0 != "-" }, 0.3)))
    }

    @Test func questionsOfAppsAreShownByNothing() {
        #expect(PlatformExpectation(["type": "GET_APP_AVAILABILITY"], in: .receiver, after: nil) == nil)
        #expect(PlatformExpectation(["type": "SET_VOLUME", "volume": ["level": 1]], in: .media, after: nil) == nil)
    }

    @Test func onlyTheNewestOfSomeChangesWaits() {
        var steps = JoinedSteps<String, Int>()
        let now = NIODeadline.uptimeNanoseconds(1)
        #expect(steps.hold(1, of: "level", at: now) == nil)
        #expect(steps.hold(2, of: "level", at: now + .milliseconds(900)) == 1)
        #expect(steps["level"] == 2)
        #expect(steps.takeDue(at: now + .milliseconds(999)) { _ in true }.isEmpty)
        // A device that answers nothing gets it in the end.
        #expect(steps.takeDue(at: now + .seconds(1)) { _ in true }.map(\.step) == [2])
        _ = steps.hold(3, of: "level", at: now)
        #expect(steps.takeDue(at: now) { _ in false }.map(\.step) == [3])
        #expect(steps.nextDeadline == nil)
    }
}
