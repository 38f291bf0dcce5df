import BuiltInReceiver
import GatewayConfig
import Testing
import VirtualDevices

@testable import GatewaySettings

/// `virtual_devices[].group` as it is read and checked, and what it makes of a device.
@Suite struct SpeakerGroupConfigurationTests {
    private static func load(_ house: String) -> GatewayConfigurationResult {
        let text = """
            version: 1
            discovery: {static: [{name: wall, address: 192.0.2.40}]}
            virtual_devices:
              - {name: kitchen, listen: "127.0.0.1:8011", target: local}
              - {name: hall, listen: "127.0.0.1:8012", target: local}
              - {name: lobby, listen: "127.0.0.1:8013", target: {device: wall}}
              - {name: floor, listen: "127.0.0.1:8014", target: local, group: {members: [hall]}}
              - {name: house, listen: "127.0.0.1:8015", \(house)}

            """
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
    }

    private static func house(_ text: String) throws -> VirtualDeviceConfiguration {
        let result = Self.load(text)
        return try #require(result.configuration?.virtualDevices.last, "\(result.report.text())")
    }

    @Test func membersAreReadInTheirOrder() throws {
        let house = try Self.house("target: local, group: {members: [hall, kitchen]}")
        #expect(house.receiver.group?.members == ["hall", "kitchen"])
        #expect(Self.load("target: local").configuration?.virtualDevices.last?.receiver.group == nil)
    }

    @Test func aGroupIsAnnouncedAsOne() throws {
        let house = try Self.house("target: local, group: {members: [hall]}")
        #expect(house.announced.model == "Google Cast Group")
        #expect(house.announced.capabilities == 198_692)
        #expect(house.announced.name == "house")
        let own = try Self.house("target: local, group: {members: [hall]}, model: Home, capabilities: 2053")
        #expect(own.announced.model == "Home")
        // The bit of a group is there, that of a screen is not.
        #expect(own.announced.capabilities == 2052 + 32)
        let speaker = try Self.house("target: local")
        #expect(speaker.announced == speaker.device)
    }

    @Test(
        arguments: [
            ("target: local, group: {members: [attic]}", .undefinedReference),
            ("target: local, group: {members: [floor]}", .inconsistent),
            ("target: local, group: {members: [house]}", .inconsistent),
            ("target: local, group: {members: [lobby]}", .inconsistent),
            ("target: {device: wall}, group: {members: [hall]}", .inconsistent),
            ("target: local, group: {members: [hall, hall]}", .duplicateName),
            ("target: local, group: {members: []}", .outOfRange), ("target: local, group: {}", .missingKey),
            ("target: local, group: {member: [hall], members: [hall]}", .unknownKey),
        ] as [(String, ConfigProblem.Code)])
    func whatCannotBeServedIsRefused(house: String, code: ConfigProblem.Code) {
        let result = Self.load(house)
        #expect(result.configuration == nil)
        #expect(result.problems.map(\.code) == [code], "\(result.report.text())")
    }

    @Test func seventeenMembersAreTooMany() {
        let names = (1...17).map { "room-\($0)" }
        let rooms = names.enumerated().map { index, name in
            "  - {name: \(name), listen: \"127.0.0.1:\(8100 + index)\", target: local}\n"
        }
        func problems(_ count: Int) -> [ConfigProblem.Code] {
            let text = """
                version: 1
                virtual_devices:
                \(rooms.joined())
                  - {name: house, listen: "127.0.0.1:8015", target: local, group: {members: [\(names.prefix(count).joined(separator: ", "))]}}

                """
            return GatewayConfiguration.load(
                path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:]
            ).problems.map(\.code)
        }
        #expect(problems(16) == [])
        #expect(problems(17) == [.outOfRange])
    }

    @Test func aRelayedMemberIsRefusedInWords() {
        let text = Self.load("target: local, group: {members: [lobby]}").report.text()
        #expect(text.contains("'lobby' stands for a real device, whose sound cannot be kept in step with the group"))
    }
}
