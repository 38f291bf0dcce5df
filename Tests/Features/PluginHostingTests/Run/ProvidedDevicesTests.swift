import CastwayTestSupport
import PluginKit
import Synchronization
import Testing

@testable import PluginHosting

/// The devices that plugins name: which names are refused, how many there may be, and what is told of them.
@Suite struct ProvidedDevicesTests {
    /// The devices of two plugins, and what was told of them.
    private final class Stage: Sendable {
        let devices = ProvidedDevices()
        let told = Mutex<[[String]]>([])

        init(taken: Set<String> = []) {
            self.devices.attach { device in
                taken.contains(device.name)
            } onChange: { entries in
                self.told.withLock { $0.append(entries.map { "\($0.plugin):\($0.device.name)@\($0.device.address)" }) }
            }
        }

        var last: [String] { self.told.withLock { $0.last ?? [] } }
        var count: Int { self.told.withLock { $0.count } }

        /// What a plugin is told of devices that it names; nil when they are taken.
        func publish(_ names: [String], at address: String = "192.0.2.1", by plugin: String, in run: UInt64) -> String?
        {
            do throws(PluginRPCError) {
                let devices = names.map { ProvidedDevice(name: $0, address: address) }
                try self.devices.publish(devices, by: plugin, in: run)
                return nil
            } catch {
                return error.message
            }
        }
    }

    @Test func namesOfOthersAreRefusedAndNothingOfThatCallIsTaken() {
        let stage = Stage(taken: ["lobby"])
        #expect(stage.publish(["annex"], by: "finder", in: 1) == nil)
        let told = stage.count
        // The operator's name, then another plugin's.
        #expect(stage.publish(["attic", "lobby"], by: "finder", in: 1) == "another device is called 'lobby'")
        #expect(stage.publish(["attic", "annex"], by: "other", in: 2) == "another device is called 'annex'")
        #expect(stage.last == ["finder:annex@192.0.2.1"] && stage.count == told)
        // The same plugin's next process may name what the last one named.
        #expect(stage.publish(["annex"], at: "192.0.2.2", by: "finder", in: 3) == nil)
        #expect(stage.last == ["finder:annex@192.0.2.2"], "the later process counts")
        stage.devices.ended(1)
        #expect(stage.last == ["finder:annex@192.0.2.2"])
    }

    @Test func aPluginNamesSoManyDevicesAndNoMore() {
        let stage = Stage()
        let limit = ProvidedDevices.limit
        let names = (0..<limit).map { "room-\($0)" }
        #expect(stage.publish(names, by: "finder", in: 1) == nil)
        let refusal = stage.publish(["one-more"], by: "finder", in: 1)
        #expect(refusal == "a plugin names \(limit) devices at most" && stage.last.count == limit)
        // A change of one that is there needs no room, and one that goes makes room.
        #expect(stage.publish(["room-0"], at: "192.0.2.9", by: "finder", in: 1) == nil)
        stage.devices.withdraw(["room-1"], by: "finder", in: 1)
        #expect(stage.publish(["one-more"], by: "finder", in: 1) == nil && stage.last.count == limit)
        // Another plugin has as much room of its own.
        #expect(stage.publish(["annex"], by: "other", in: 2) == nil)
    }

    /// What changes nothing is not told, so that it makes no work.
    @Test func onlyChangesAreTold() {
        let stage = Stage()
        #expect(stage.publish(["annex"], by: "finder", in: 1) == nil)
        let told = stage.count
        for _ in 0..<10 { #expect(stage.publish(["annex"], by: "finder", in: 1) == nil) }
        #expect(stage.publish([], by: "finder", in: 1) == nil)
        stage.devices.withdraw(["nothing"], by: "finder", in: 1)
        stage.devices.withdraw(["annex"], by: "finder", in: 7)
        stage.devices.ended(7)
        #expect(stage.count == told)
    }

    /// The end of a run takes its devices, and no others; it is told once.
    @Test func devicesGoWithTheRunThatNamedThem() {
        let stage = Stage()
        #expect(stage.publish(["annex", "attic"], by: "finder", in: 1) == nil)
        #expect(stage.publish(["porch"], by: "other", in: 2) == nil)
        let told = stage.count
        stage.devices.ended(1)
        #expect(stage.last == ["other:porch@192.0.2.1"] && stage.count == told + 1)
        // The names are free again.
        #expect(stage.publish(["annex"], by: "other", in: 2) == nil)
    }
}
