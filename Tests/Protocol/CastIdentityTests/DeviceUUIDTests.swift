import Testing

@testable import CastIdentity

@Suite struct DeviceUUIDTests {
    @Test func randomOnesAreVersionFour() throws {
        var seen: Set<String> = []
        for _ in 0..<200 {
            let uuid = try DeviceUUID.random()
            #expect(DeviceUUID(uuid.text) == uuid)
            let characters = Array(uuid.text)
            #expect(characters[14] == "4")
            #expect("89ab".contains(characters[19]))
            #expect(uuid.hexText.utf8.count == 32)
            seen.insert(uuid.text)
        }
        #expect(seen.count == 200)
    }

    @Test(arguments: [
        "", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-0000000000000",
        "0000000000000-4000-8000-0000000-0000", "0000000G-0000-4000-8000-000000000000",
        "0000000A-0000-4000-8000-000000000000",
    ])
    func malformedTextIsRefused(text: String) {
        #expect(DeviceUUID(text) == nil)
    }
}
