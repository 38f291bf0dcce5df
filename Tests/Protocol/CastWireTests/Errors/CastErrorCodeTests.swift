import CastWire
import Testing

@Suite struct CastErrorCodeTests {
    @Test func everyCodeOfTheSDKsIsThere() {
        let numbers = Set(CastErrorCode.allCases.map(\.rawValue))
        let expected = [0...34, 40...48, 50...60, 80...86, 91...93, 99...99, 100...108].flatMap(Array.init)
        #expect(numbers == Set(expected))
    }

    @Test func namesAreUniqueAndFitForLabels() {
        let names = CastErrorCode.allCases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { name in name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } })
        #expect(CastErrorCode.networkError.name == "network_error")
        #expect(CastErrorCode(rawValue: 32) == .noMediaSession)
    }
}
