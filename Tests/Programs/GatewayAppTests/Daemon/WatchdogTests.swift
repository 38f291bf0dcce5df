import Testing

@testable import GatewayApp

@Suite struct WatchdogTests {
    @Test func asOftenAsTheManagerDemandsTwice() {
        #expect(Watchdog(environment: ["WATCHDOG_USEC": "30000000"])?.interval == .seconds(15))
        #expect(Watchdog(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], processID: 7) != nil)
    }

    @Test(arguments: [
        [:], ["WATCHDOG_USEC": ""], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"], ["WATCHDOG_USEC": "soon"],
        ["WATCHDOG_USEC": "99999999999999999999"], ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"],
        ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"],
    ])
    func nothingIsDemandedOfThisProcess(environment: [String: String]) {
        #expect(Watchdog(environment: environment, processID: 7) == nil)
    }
}
