import Testing

@testable import MessageBridges

@Suite struct OutboxIDTests {
    @Test(arguments: [(UInt64(0), Int64(1)), (.max, .max), (0x0123_4567_89AB_CDEF, 42)])
    func anIDLeadsToItsMessage(stamp: UInt64, sequence: Int64) {
        let id = OutboxID(stamp: stamp, sequence: sequence)
        #expect(id.text.utf8.count == 30)
        #expect(!id.text.contains("."))
        #expect(OutboxID(id.text) == id)
    }

    @Test(arguments: [
        "", "msg_", "msg_01JCASTWAY000000000000000", "msg_ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "msg_0000000000000000000000000U",
    ])
    func everythingElseIsNone(text: String) {
        #expect(OutboxID(text) == nil)
    }
}
