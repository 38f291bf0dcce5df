import CastWire
import GatewayCore
import GatewayTesting
import Synchronization
import Testing

/// Which messages of apps are recorded since a caller has opened a channel in a session of the gateway's own.
@Suite struct OpenedChannelRecordingTests {
    private final class Recorder: EventRecorder {
        private let devices = Mutex<[String]>([])

        /// The devices whose messages were recorded, in order.
        var recorded: [String] { self.devices.withLock { $0 } }

        func record(_ item: RecordedEvent, cause: String?) {
            guard case .event(.channelMessage(let device, _, _, _)) = item else { return }
            self.devices.withLock { $0.append(device) }
        }
    }

    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private let bus = EventBus()
    private let recorder = Recorder()

    init() { self.bus.setRecorder(self.recorder) }

    private func say(on device: String, in namespace: Namespace = Self.quiz, via: MessageVia = .own) {
        self.bus.publish(
            .channelMessage(
                device: device, message: .test("{}", in: namespace, to: "app-1"), direction: .toSender, via: via))
    }

    @Test func anotherDeviceInTheSameNamespaceIsNotRecorded() {
        self.bus.setOpenedNamespaces([Self.quiz], ofSession: 1, on: "hall")
        self.say(on: "hall")
        self.say(on: "office")
        self.say(on: "hall", in: "urn:x-cast:com.example.other")
        self.say(on: "hall", via: .relay)
        #expect(self.recorder.recorded == ["hall"])
        self.bus.setOpenedNamespaces([Self.quiz], ofSession: 2, on: "office")
        self.bus.setOpenedNamespaces([], ofSession: 1, on: "hall")
        self.say(on: "hall")
        self.say(on: "office")
        #expect(self.recorder.recorded == ["hall", "office"])
    }

    @Test func theDemandFollowsWhatIsOpenAnywhere() {
        let names = CastMessage.test("{}", in: Self.quiz).names
        #expect(!self.bus.wantsMessage(names))
        self.bus.setOpenedNamespaces([Self.quiz], ofSession: 1, on: "hall")
        #expect(self.bus.wantsMessage(names))
        self.bus.setOpenedNamespaces([], ofSession: 1, on: "hall")
        #expect(!self.bus.wantsMessage(names))
    }
}
