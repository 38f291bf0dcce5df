import CastDiscovery
import CastIdentity
import CastWire
import GatewayConfig
import Testing

@testable import VirtualDevices

struct DeviceAdvertisementTests {
    private func make(
        _ host: String = "0.0.0.0", publish: Bool = true, apps: [AppID] = ["CC1AD845"]
    ) throws -> DeviceAdvertisement {
        DeviceAdvertisement(
            configuration: VirtualDeviceSettings(name: "hall", listen: ListenAddress(host: host, port: 0)) {
                $0.friendlyName = "Great hall"
                $0.model = "Nest Mini"
                $0.publish = publish
            },
            apps: apps, identity: try DeviceBench.identity(), port: 8017)
    }

    @Test func theRecordIsCompleteAndInOrder() throws {
        let service = try #require(try self.make().service(.idle))
        let id = try DeviceBench.identity().idHex
        #expect(service.instance == "Nest-Mini-\(id)")
        #expect(service.port == 8017)
        #expect(
            service.record.txt.map(\.key)
                == ["id", "cd", "rm", "ve", "md", "ic", "fn", "ca", "st", "bs", "nf", "rs", "cw"])
        let values = Dictionary(uniqueKeysWithValues: service.record.txt.map { ($0.key, $0.text) })
        #expect(values["id"] == id)
        #expect(values["ve"] == "05")
        #expect(values["md"] == "Nest Mini")
        #expect(values["ic"] == "/setup/icon.png")
        #expect(values["fn"] == "Great hall")
        #expect(values["ca"] == "4101")
        #expect(values["st"] == "0")
        #expect(values["nf"] == "1")
        #expect(values["rs"] == "")
        #expect(values["cd"]?.count == 32)
        #expect(values["bs"] == "02\(id.uppercased().prefix(10))")
        #expect(values["cw"] == "1" && service.record.isVirtualDevice)
    }

    @Test func theAppThatRunsIsTold() throws {
        let app = ReceiverApplication(
            appID: "ABCD1234", displayName: "Quiz", sessionID: "s",
            namespaces: ["urn:x-cast:com.example.quiz", .media],
            statusText: "Round 1")
        let volume = ReceiverVolume(json: [:])
        let service = try #require(
            try self.make().service(AdvertisedState(ReceiverStatus(application: app, volume: volume))))
        #expect(service.record.activity == .busy)
        #expect(service.record.statusText == "Round 1")
        #expect(
            service.subtypes.map(\.label) == [
                ServiceSubtype.media.label, "_ABCD1234",
                ServiceSubtype(namespace: "urn:x-cast:com.example.quiz").label, "_CC1AD845",
            ])
        #expect(AdvertisedState(ReceiverStatus(application: nil, volume: volume)) == .idle)
        var idle = app
        idle.isIdleScreen = true
        #expect(AdvertisedState(ReceiverStatus(application: idle, volume: volume)) == .idle)
    }

    @Test func itAnswersToMediaAlwaysAndToItsApps() throws {
        #expect(try self.make().service(.idle)?.subtypes.map(\.label) == [ServiceSubtype.media.label, "_CC1AD845"])
        #expect(
            try self.make(apps: ["ABCD1234", "YouTube"]).service(.idle)?.subtypes.map(\.label).dropFirst() == [
                "_ABCD1234"
            ])
        #expect(try self.make(apps: []).service(.idle)?.subtypes == [.media])
    }

    @Test(arguments: ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
    func nobodyElseHearsOfTheLoopback(host: String) throws {
        #expect(try self.make(host).service(.idle) == nil)
        #expect(try self.make(host).obstacle == "it listens on the loopback interface only")
    }

    @Test func whereItListensIsWhereItIsAnnounced() throws {
        #expect(try self.make("0.0.0.0").service(.idle)?.family == .ipv4)
        #expect(try self.make("::").service(.idle)?.family == nil)
        #expect(try self.make("192.0.2.1").service(.idle)?.family == .ipv4)
        #expect(try self.make("0.0.0.0").service(.idle)?.place == nil)
        #expect(try self.make(publish: false).service(.idle) == nil)
    }
}
