import NIOCore
import Testing

@testable import GuestAccess

/// How often an address may show a wrong code.
@Suite struct JoinAttemptsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func fiveWrongCodesAndThenItTakesTwiceAsLongEachTime() {
        var attempts = JoinAttempts()
        for _ in 0..<5 { #expect(attempts.begin(from: "192.0.2.7", at: self.start) == nil) }
        #expect(attempts.begin(from: "192.0.2.7", at: self.start) == .seconds(30))
        // Another address is not concerned.
        #expect(attempts.begin(from: "192.0.2.8", at: self.start) == nil)
        var now = self.start + .seconds(29)
        #expect(attempts.begin(from: "192.0.2.7", at: now) == .seconds(1))
        now = self.start + .seconds(30)
        #expect(attempts.begin(from: "192.0.2.7", at: now) == nil)
        #expect(attempts.begin(from: "192.0.2.7", at: now) == .seconds(60))
        for _ in 0..<20 {
            now = now + .hours(1)
            #expect(attempts.begin(from: "192.0.2.7", at: now) == nil)
        }
        #expect(attempts.begin(from: "192.0.2.7", at: now) == .hours(1))
        // In two hours without a wrong one all is forgotten.
        now = now + .hours(2)
        for _ in 0..<5 { #expect(attempts.begin(from: "192.0.2.7", at: now) == nil) }
    }

    @Test func aRightCodeTakesBackItsOwnAttemptAlone() {
        var attempts = JoinAttempts()
        for _ in 0..<20 {
            #expect(attempts.begin(from: "192.0.2.7", at: self.start) == nil)
            attempts.succeeded(from: "192.0.2.7")
        }
        #expect(attempts.addressCount == 0)
        for _ in 0..<4 {
            #expect(attempts.begin(from: "192.0.2.7", at: self.start) == nil)
            #expect(attempts.begin(from: "192.0.2.7", at: self.start) == nil)
            attempts.succeeded(from: "192.0.2.7")
        }
        #expect(attempts.begin(from: "192.0.2.7", at: self.start) == nil)
        #expect(attempts.begin(from: "192.0.2.7", at: self.start) == .seconds(30))
    }

    /// Addresses of one network of IPv6 are one.
    @Test func anIPv6HostHasNoMoreThanOneAddress() {
        var attempts = JoinAttempts()
        for number in 0..<5 { #expect(attempts.begin(from: "2001:db8::\(number)", at: self.start) == nil) }
        #expect(attempts.begin(from: "2001:db8::99", at: self.start) == .seconds(30))
        #expect(attempts.begin(from: "2001:db8:0:1::1", at: self.start) == nil)
    }

    @Test func aBoundedNumberOfAddressesIsKept() {
        var attempts = JoinAttempts()
        for number in 0..<10_000 {
            _ = attempts.begin(from: "10.\(number / 65_536).\(number / 256 % 256).\(number % 256)", at: self.start)
        }
        #expect(attempts.addressCount <= 4096)
    }
}
