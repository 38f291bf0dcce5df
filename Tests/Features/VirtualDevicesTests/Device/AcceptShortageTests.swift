import NIOCore
import Testing

@testable import VirtualDevices

@Suite struct AcceptShortageTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func itIsToldOnceHoweverOftenItIsTried() {
        var shortage = AcceptShortage()
        #expect(shortage.failed(at: self.start) == .warn)
        for second in 1...300 {
            #expect(shortage.failed(at: self.start + .seconds(Int64(second))) == .none)
        }
        #expect(shortage.accepted() == .tellEnd(failures: 301))
        #expect(shortage.accepted() == .none)
    }

    @Test func atTheBrinkItIsToldOnceAMinute() {
        var shortage = AcceptShortage()
        var warnings = 0
        for second in 0..<120 {
            if shortage.failed(at: self.start + .seconds(Int64(second))) == .warn { warnings += 1 }
            _ = shortage.accepted()
        }
        #expect(warnings == 2)
        #expect(!shortage.isShort)
    }
}
