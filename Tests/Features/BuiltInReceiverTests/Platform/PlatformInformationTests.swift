import CastWire
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct PlatformInformationTests {
    @Test func isNoGroup() {
        var bench = PlatformBench()
        let status = bench.send(["type": "GET_STATUS", "requestId": 1], in: .multizone)
        #expect(status.summaries == ["sender-0@c1 MULTIZONE_STATUS 1"])
        #expect(status.first?.json.object("status")?.array("devices") == [])
        let groups = bench.send(["type": "GET_CASTING_GROUPS", "requestId": 2], in: .multizone)
        #expect(groups.summaries == ["sender-0@c1 CASTING_GROUPS 2"])
        for type in ["SET_DEVICE_VOLUME", "MULTIZONE_STATUS"] {
            let refused = bench.send(["type": .string(type), "requestId": 3], in: .multizone)
            #expect(refused.summaries == ["sender-0@c1 INVALID_REQUEST 3"])
        }
        #expect(bench.send(["type": "GET_STATUS"], in: .multizone).isEmpty)
    }

    @Test func tellsWhoItIs() {
        var bench = PlatformBench()
        let info = bench.send(["type": "GET_DEVICE_INFO", "requestId": 3], in: .discovery).first?.json
        #expect(info == ["type": "DEVICE_INFO", "requestId": 3, "friendlyName": "Test screen"])
        let refused = bench.send(["type": "DEVICE_INFO", "requestId": 3], in: .discovery)
        #expect(refused.summaries == ["sender-0@c1 INVALID_REQUEST 3"])
    }

    @Test func tellsItsSetup() {
        var bench = PlatformBench()
        let answer = bench.send(["type": "eureka_info", "request_id": 4], in: .setup).first?.json
        #expect(answer?.int("request_id") == 4)
        #expect(answer?.int("response_code") == 200)
        #expect(answer?.object("data")?.members.map(\.name) == ["build_info", "device_info", "name", "version"])

        let some = bench.send(
            ["type": "eureka_info", "requestId": "5", "data": ["params": ["name", "uptime", "nonsense", 7]]], in: .setup
        ).first?.json
        #expect(some?.string("requestId") == "5")
        #expect(some?.object("data") == ["name": "Test screen", "uptime": 1000])

        #expect(bench.send(["type": "eureka_info"], in: .setup).isEmpty)
        let refused = bench.send(["type": "reboot", "request_id": 6], in: .setup)
        #expect(refused.first?.json.int("request_id") == 6)
        #expect(refused.first?.json.string("type") == "INVALID_REQUEST")
    }
}
