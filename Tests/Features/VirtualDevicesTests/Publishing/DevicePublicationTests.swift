import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayConfig
import NIOCore
import NIOEmbedded
import Testing

@testable import VirtualDevices

struct DevicePublicationTests {
    private let network = RecordingNetwork()
    private let loop = EmbeddedEventLoop()
    private let log = LogRecorder()
    private let announcer: DeviceAnnouncer
    private let publication: DevicePublication

    init() {
        self.announcer = DeviceAnnouncer(network: self.network, logger: self.log.logger())
        self.publication = DevicePublication(
            announcer: self.announcer, eventLoop: self.loop, logger: self.log.logger())
    }

    private func advertisement(name: String = "Hall", host: String = "0.0.0.0") throws -> DeviceAdvertisement {
        DeviceAdvertisement(
            configuration: VirtualDeviceSettings(name: "hall", listen: ListenAddress(host: host, port: 0)) {
                $0.friendlyName = name
            },
            apps: ["CC1AD845"], identity: try DeviceBench.identity(), port: 8009)
    }

    private func status(_ text: String?) -> CastMessage {
        let app = text.map {
            ReceiverApplication(
                appID: "CC1AD845", displayName: "Player", sessionID: "s", namespaces: [.media], statusText: $0)
        }
        return CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(ReceiverStatus(application: app, volume: ReceiverVolume(json: [:]))).payload)
    }

    private var record: DeviceRecord? { self.network.services["hall"]?.record }

    @Test func whatHappensBeforeItListensIsTold() throws {
        self.publication.learn(self.status("Film"))
        #expect(self.network.history == [])
        self.publication.announce(try self.advertisement())
        #expect(self.record?.statusText == "Film")
    }

    @Test func changesInAMomentAreOneUpdate() throws {
        self.publication.announce(try self.advertisement())
        #expect(self.record?.activity == .idle)
        for text in ["", "Loading", "Film"] { self.publication.learn(self.status(text)) }
        self.loop.advanceTime(by: .milliseconds(249))
        #expect(self.network.history == ["+hall"])
        self.loop.advanceTime(by: .milliseconds(1))
        #expect(self.network.history == ["+hall", "+hall"])
        #expect(self.record?.activity == .busy)
        #expect(self.record?.statusText == "Film")
        #expect(
            self.network.services["hall"]?.subtypes.map(\.label) == [ServiceSubtype.media.label, "_CC1AD845"])
        // There and back is nothing.
        self.publication.learn(self.status(nil))
        self.publication.learn(self.status("Film"))
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.network.history.count == 2)
        self.publication.forgetState()
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.record?.activity == .idle)
        // The app is one that the device is configured to have.
        #expect(
            self.network.services["hall"]?.subtypes.map(\.label) == [ServiceSubtype.media.label, "_CC1AD845"])
    }

    /// A device that stands for another is announced only while that is there, whatever its configuration does meanwhile.
    @Test func whatIsHeldIsNotAnnounced() throws {
        let publication = DevicePublication(
            announcer: self.announcer, isHeld: true, eventLoop: self.loop, logger: self.log.logger())
        publication.announce(try self.advertisement())
        publication.learn(self.status("Film"))
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.network.history == [])
        publication.hold(false)
        publication.hold(false)
        #expect(self.network.history == ["+hall"])
        #expect(self.record?.statusText == "Film")
        publication.hold(true)
        publication.announce(try self.advertisement(name: "Great hall"))
        #expect(self.network.history == ["+hall", "-hall"])
        publication.hold(false)
        #expect(self.record?.friendlyName == "Great hall")
    }

    /// Senders are offered nothing that does nothing; what keeps it back is counted apart.
    @Test func aDeviceOutOfReachIsNotAnnounced() throws {
        self.publication.follow(isTargetThere: false)
        self.publication.announce(try self.advertisement())
        self.publication.learn(self.status("Film"))
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.network.history == [])
        self.publication.follow(isTargetThere: true)
        self.publication.follow(isTargetThere: true)
        #expect(self.network.history == ["+hall"])
        #expect(self.record?.statusText == "Film")
        self.publication.follow(isTargetThere: false)
        #expect(self.network.history == ["+hall", "-hall"])
        #expect(self.log.entries.last?.message == "Not announced by mDNS")
        self.publication.hold(true)
        self.publication.follow(isTargetThere: true)
        #expect(self.network.history.count == 2)
        self.publication.hold(false)
        #expect(self.network.history == ["+hall", "-hall", "+hall"])
    }

    /// Of a device that was found discovery says whether it is there.
    @Test func whatFollowsDiscoveryDoesNotFollowItsTarget() throws {
        let publication = DevicePublication(
            announcer: self.announcer, followsTarget: false, eventLoop: self.loop, logger: self.log.logger())
        publication.announce(try self.advertisement())
        publication.follow(isTargetThere: false)
        #expect(self.network.history == ["+hall"])
    }

    @Test func itIsWithdrawnOnceAndStaysSo() throws {
        self.publication.announce(try self.advertisement())
        self.publication.learn(self.status("Film"))
        self.publication.withdraw()
        self.publication.withdraw()
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.network.history == ["+hall", "-hall"])
    }

    @Test func anotherConfigurationIsAnnouncedAtOnce() throws {
        self.publication.announce(try self.advertisement())
        self.publication.announce(try self.advertisement(name: "Great hall"))
        #expect(self.record?.friendlyName == "Great hall")
        self.publication.announce(try self.advertisement(host: "127.0.0.1"))
        #expect(self.network.history == ["+hall", "+hall", "-hall"])
        #expect(self.log.entries.contains { $0.message == "Not announced by mDNS" })
    }

    @Test func whoIsReplacedDoesNotWithdrawItsSuccessor() throws {
        self.publication.announce(try self.advertisement())
        let successor = DevicePublication(
            announcer: self.announcer, eventLoop: self.loop, logger: self.log.logger())
        successor.announce(try self.advertisement(name: "Great hall"))
        self.publication.withdraw()
        #expect(self.record?.friendlyName == "Great hall")
        successor.withdraw()
        #expect(self.network.services.isEmpty)
    }

    @Test func theLogSaysHowItGoes() {
        self.network.tell(.blocked(reason: "no daemon"))
        self.network.tell(.published(key: "hall", instance: "x"))
        self.network.tell(.renamed(key: "hall", instance: "x-2"))
        self.network.tell(.failed(key: "hall", reason: "full"))
        #expect(self.log.entries.count == 4)
    }
}
