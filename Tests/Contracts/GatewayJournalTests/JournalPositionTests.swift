import GatewayJournal
import GatewayOperations
import Testing

@Suite struct JournalPositionTests {
    @Test func aPositionIsReadAsItIsWritten() {
        let position = JournalPosition(boot: "8f2c", seq: 4711)
        #expect(JournalPosition("\(position)") == position)
    }

    @Test(arguments: ["", ".", "a", ".5", "a.", "a.-1", "a.+1", "a.99999999999999999999", "a.١"])
    func anythingElseIsNone(_ text: String) {
        #expect(JournalPosition(text) == nil)
    }

    @Test func patternsMatchWholeNames() {
        #expect(DevicePattern("room-1*").matches("room-12"))
        #expect(!DevicePattern("room-1*").matches("a-room-12"))
        #expect(!DevicePattern("hall").matches("hall2"))
        #expect(DevicePattern("*a*b").matches("xaybab"))
        #expect(!DevicePattern("*a*b").matches("xayba"))
        #expect(DevicePattern("*").matches(""))
        #expect(!DevicePattern("").matches("a"))
    }
}
