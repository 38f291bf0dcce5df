import DeviceSessions
import GatewayConfig
import GatewayCore
import Testing

@testable import GatewaySettings

/// `virtual_devices[].mirroring` as it is read and checked, and where apps for mirroring may be listed.
@Suite struct MirroringConfigurationTests {
    private static func load(_ device: String) -> GatewayConfigurationResult {
        let text = """
            version: 1
            discovery: {static: [{name: wall, address: 192.0.2.40}]}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:8013", \(device)}

            """
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
    }

    private static func settings(_ device: String) throws -> MirroringSettings? {
        let result = Self.load(device)
        return try #require(result.configuration?.virtualDevices.last, "\(result.report.text())").mirroring?.settings
    }

    @Test func streamsAreCarriedUnlessTheFileSaysOtherwise() throws {
        #expect(try Self.settings("target: {device: wall}") == nil)
        #expect(MirroringConfiguration().settings == MirroringSettings(isRelayed: true))
        #expect(try Self.settings("target: {device: wall}, mirroring: {}") == MirroringSettings(isRelayed: true))
        #expect(try Self.settings("target: {device: wall}, mirroring: {udp: off}") == .off)
        #expect(
            try Self.settings("target: {device: wall}, mirroring: {udp: relay, ports: 40000-40000}")
                == MirroringSettings(isRelayed: true, ports: 40_000...40_000))
        #expect(
            try Self.settings("target: {device: wall}, mirroring: {ports: 1024-65535}")
                == MirroringSettings(isRelayed: true, ports: 1024...65_535))
    }

    @Test(
        arguments: [
            ("target: local, mirroring: {udp: relay}", .inconsistent), ("target: local, mirroring: {}", .inconsistent),
            ("target: {device: wall}, mirroring: {udp: on}", .notAllowed),
            ("target: {device: wall}, mirroring: {ports: 40100-40000}", .malformedValue),
            ("target: {device: wall}, mirroring: {ports: 80-90}", .malformedValue),
            ("target: {device: wall}, mirroring: {ports: 40000-70000}", .malformedValue),
            ("target: {device: wall}, mirroring: {ports: 40000-}", .malformedValue),
            ("target: {device: wall}, mirroring: {ports: 04000-40000}", .malformedValue),
            ("target: {device: wall}, mirroring: {port: 40000}", .unknownKey),
        ] as [(String, ConfigProblem.Code)])
    func whatIsWrongIsAnError(device: String, code: ConfigProblem.Code) {
        let result = Self.load(device)
        #expect(result.configuration == nil)
        #expect(result.problems.map(\.code) == [code])
    }

    @Test(
        arguments: [
            ("target: {device: wall}, apps: [0F5096E8]", false),
            ("target: {device: wall}, mirroring: {udp: relay}, apps: [0F5096E8]", false),
            ("target: {device: wall}, mirroring: {udp: off}, apps: [0F5096E8]", true),
            ("target: {device: wall}, mirroring: {udp: off}, apps: {674A0243: {}}", true),
            ("target: local, apps: [CC1AD845, 0F5096E8]", true),
        ])
    func appsForMirroringAreWarnedOfWhereTheyNeverRun(device: String, isWarned: Bool) {
        let result = Self.load(device)
        #expect(result.configuration != nil)
        #expect(result.problems.map(\.code) == (isWarned ? [.neverRuns] : []))
    }
}
