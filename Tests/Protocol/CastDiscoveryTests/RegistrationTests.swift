import CastWire
import Testing

@testable import CastDiscovery

struct RegistrationTests {
    private let service: PublishedService

    init() throws {
        let id = try #require(DeviceID("9d2b7c1e4f6a48b0a3c5d7e9f1023456"))
        self.service = PublishedService(
            instance: "Screen", port: 8009, record: DeviceRecord(id: id, friendlyName: "Hall"))
    }

    private func established() -> Registration {
        var registration = Registration(self.service)
        _ = registration.handle(.running)
        _ = registration.handle(.established)
        return registration
    }

    @Test func aServiceIsAnnouncedWhenTheDaemonIsThere() {
        var registration = Registration(self.service)
        #expect(registration.handle(.running) == [.build(instance: "Screen")])
        #expect(
            registration.handle(.established) == [.tell(.published(instance: "Screen")), .answer([.media])])
        #expect(registration.handle(.established) == [])
    }

    @Test func aTakenNameIsCountedUp() {
        var registration = Registration(self.service)
        _ = registration.handle(.running)
        #expect(
            registration.handle(.collision)
                == [.tell(.renamed(instance: "Screen-2")), .build(instance: "Screen-2")])
        #expect(
            registration.handle(.collision)
                == [.tell(.renamed(instance: "Screen-3")), .build(instance: "Screen-3")])
        // Subtypes name the instance, so they come with each name.
        #expect(
            registration.handle(.established) == [.tell(.published(instance: "Screen-3")), .answer([.media])])
        for _ in 3..<99 { _ = registration.handle(.collision) }
        #expect(registration.instance == "Screen-99")
        #expect(registration.handle(.collision).contains(.tell(.failed(reason: "every name is taken"))))
    }

    @Test func theRecordChangesInPlace() {
        var registration = self.established()
        var busy = self.service
        busy.record.activity = .busy
        #expect(registration.handle(.changed(busy)) == [.updateRecord])
        #expect(registration.handle(.changed(busy)) == [])
        let subtypes = [ServiceSubtype.media, ServiceSubtype(namespace: "urn:x-cast:com.example.quiz")]
        busy.subtypes = subtypes
        #expect(registration.handle(.changed(busy)) == [.answer(subtypes)])
        busy.port = 8010
        #expect(registration.handle(.changed(busy)) == [.build(instance: "Screen")])
        #expect(
            registration.handle(.established) == [.tell(.published(instance: "Screen")), .answer(subtypes)])
        busy.subtypes = []
        #expect(registration.handle(.changed(busy)) == [.answer([])])
    }

    @Test func anotherNameBeginsAnew() {
        var registration = self.established()
        _ = registration.handle(.collision)
        var renamed = self.service
        renamed.instance = "Other"
        #expect(registration.handle(.changed(renamed)) == [.build(instance: "Other")])
    }

    @Test func whatChangesWithoutADaemonIsAnnouncedWithIt() {
        var registration = self.established()
        #expect(registration.handle(.blocked) == [])
        var busy = self.service
        busy.record.activity = .busy
        #expect(registration.handle(.changed(busy)) == [])
        #expect(registration.handle(.running) == [.build(instance: "Screen")])
        #expect(registration.service.record.activity == .busy)
    }

    @Test func aHostBetweenTwoNamesAnnouncesNothing() {
        var registration = self.established()
        #expect(registration.handle(.unnamed) == [.withdraw])
        #expect(registration.handle(.unnamed) == [])
        #expect(registration.handle(.running) == [.build(instance: "Screen")])
    }

    @Test func aRefusalIsSaidOnceAndTriedAgainEverLater() {
        var registration = Registration(self.service)
        _ = registration.handle(.running)
        #expect(
            registration.handle(.failure(reason: "full"))
                == [.withdraw, .tell(.failed(reason: "full")), .retry(milliseconds: 1000)])
        #expect(registration.handle(.timer) == [.build(instance: "Screen")])
        #expect(registration.handle(.failure(reason: "full")) == [.withdraw, .retry(milliseconds: 2000)])
        #expect(registration.handle(.timer) == [.build(instance: "Screen")])
        #expect(
            registration.handle(.established) == [.tell(.published(instance: "Screen")), .answer([.media])])
        #expect(registration.handle(.timer) == [])
    }
}
