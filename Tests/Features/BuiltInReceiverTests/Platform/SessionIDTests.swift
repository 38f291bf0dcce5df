import Testing

@testable import BuiltInReceiver

@Suite struct SessionIDTests {
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
