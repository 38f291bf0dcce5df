import Testing

@testable import DeviceHosting

@Suite struct PassedSocketsTests {
    private static func sockets(_ variables: [String: String]) -> PassedSockets {
        PassedSockets(variables: variables, process: 7) { $0 != 5 }
    }

    @Test func eachIsGivenAwayOnceByItsName() {
        let sockets = Self.sockets([
            "LISTEN_PID": "7", "LISTEN_FDS": "4", "LISTEN_FDNAMES": "api:castway-mirroring:gone",
        ])
        let first = sockets.take("castway-mirroring")
        #expect(first == 4)
        let second = sockets.take("castway-mirroring")
        #expect(second == nil)
        let (api, closed, unnamed) = (sockets.take("api"), sockets.take("gone"), sockets.take("unknown"))
        #expect(api == 3 && closed == nil && unnamed == 6)
    }

    @Test(arguments: [
        [:], ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"], ["LISTEN_PID": "8", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "0", "LISTEN_FDNAMES": "a"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "-1", "LISTEN_FDNAMES": "a"],
        ["LISTEN_PID": "7", "LISTEN_FDS": "100000", "LISTEN_FDNAMES": "a"],
        ["LISTEN_PID": "x", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a"],
    ])
    func whatIsNotForThisProcessIsLeftAlone(variables: [String: String]) {
        let taken = Self.sockets(variables).take("a")
        #expect(taken == nil)
    }
}
