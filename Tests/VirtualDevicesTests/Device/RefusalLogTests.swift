import CastwayTestSupport
import Logging
import Testing

@testable import VirtualDevices

@Suite struct RefusalLogTests {
    @Test func anAddressIsNoticedOnce() {
        let log = LogRecorder()
        let refusals = RefusalLog(logger: log.logger())
        for _ in 0..<1000 { refusals.note(address: "192.0.2.7", reason: "too many") }
        refusals.note(address: "192.0.2.8", reason: "too many")
        #expect(log.entries(atLeast: .notice).count == 2)
    }

    @Test func sessionIDsAreRandomUUIDs() {
        let ids = (0..<100).map { _ in SessionID.random() }
        #expect(Set(ids).count == 100)
        #expect(
            ids.allSatisfy { id in
                let parts = id.split(separator: "-").map(Array.init)
                return parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2][0] == "4" && "89ab".contains(parts[3][0])
            })
    }
}
