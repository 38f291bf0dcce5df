import CastWire
import CastwayTestSupport
import GatewayFixtures
import GatewayOperations
import Glibc
import Testing

@testable import castway

/// `castway code` and `castway guest` against the built program.
@Suite(.timeLimit(.minutes(2))) struct CodeCommandTests {
    @Test func aCodeIsMadeListedRedeemedAndItsGuestCheckedOut() async throws {
        let folder = try TemporaryFolder(withStateOf: "lobby")
        try folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}}
            api: {join: {listen: "127.0.0.1:0"}}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", target: local, senders: {join: required}}

            """, to: "gateway.yaml")
        let gateway = try CastwayProcess(["run"], folder: folder.path)
        _ = await gateway.wait(for: "castway-root.pem\n")
        func castway(_ arguments: String...) async throws -> CastwayProcess.Result {
            try await CastwayProcess(arguments, folder: folder.path).result()
        }
        let made = try await castway(
            "code", "create", "lobby", "--name", "Müller, A. (2.OG)", "--uses", "2", "--days", "3")
        #expect(made.status == 0, "\(made)")
        let lines = made.output.split(separator: "\n")
        let code = try #require(lines.first { $0.hasPrefix("Code:") }?.dropFirst(8))
        #expect(code.wholeMatch(of: /\d{4} \d{4}/) != nil, "\(made)")
        #expect(made.output.contains("Link:   http://127.0.0.1:"))
        // The redeem limit is not the end of the stay.
        let limit = try #require(
            made.output.firstMatch(of: /For: +casting on lobby, for 2 guests\nRedeem: until (.+)\n/))
        #expect(made.output.contains("\nStay:   3d from then, or until check-out\n"), "\(made)")
        let listed = try await castway("code", "list")
        #expect(listed.output.contains("Müller, A. (2.OG)") && listed.output.contains("0 of 2"), "\(listed)")
        #expect(listed.output.contains("until \(limit.output.1)  3d"), "\(listed)")
        #expect(!listed.output.contains(code))
        #expect(try await castway("guest", "list").output == "No guests.\n")
        let redeemed = try await castway("call", "join_code.redeem", "code=\(code)", "address=127.0.0.1")
        #expect(redeemed.status == 0, "\(redeemed)")
        #expect(try await castway("guest", "list").output.contains("127.0.0.1"))
        let left = try await castway("guest", "check-out", "--device", "lobby")
        #expect(left.output.contains("is checked out") && left.output.contains("Revoked: j-"), "\(left)")
        #expect(try await castway("code", "list").output == "No join codes.\n")
        let later = try await castway("code", "create", "lobby", "--from", "2099-01-04 14:00")
        #expect(later.status == 64 && later.errors.contains("at most a year ahead"), "\(later)")
        let json = try await castway("code", "create", "lobby", "--json", "--minutes", "2880")
        let object = try #require(try JSONReader.read(json.output).objectValue)
        let revoked = try await castway("code", "revoke", object.string("id") ?? "")
        #expect(revoked.status == 0 && revoked.output.contains("is revoked"), "\(revoked)")
        for wrong in [
            ["code", "create"], ["code", "create", "lobby", "--minutes", "0"],
            ["code", "create", "lobby", "--from", "tomorrow"], ["code", "create", "lobby", "--minutes", "-5"],
            ["guest", "check-out"],
            ["guest", "check-out", "g-1", "--device", "lobby"],
        ] {
            let refused = try await CastwayProcess(wrong, folder: folder.path).result()
            #expect(refused.status == 64, "\(refused)")
        }
        let unknown = try await castway("code", "create", "attic")
        #expect(unknown.status == 76 && unknown.errors.contains("no device 'attic'"), "\(unknown)")
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        withExtendedLifetime(folder) {}
    }

    /// Times on the command line are those of this machine's clocks.
    @Test func aStartIsATimeOfThisMachine() throws {
        func local(_ year: Int32, _ month: Int32, _ day: Int32, _ hour: Int32) -> Int64 {
            var parts = tm()
            (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_isdst) =
                (year - 1900, month - 1, day, hour, -1)
            return Int64(mktime(&parts))
        }
        #expect(LocalMoment(argument: "2027-07-04")?.time.seconds == local(2027, 7, 4, 0))
        #expect(LocalMoment(argument: "2027-01-04 14:00")?.time.seconds == local(2027, 1, 4, 14))
        #expect(LocalMoment(argument: "2027-01-04T14:00")?.time.seconds == local(2027, 1, 4, 14))
        #expect(LocalMoment(argument: "2027-01-04T14:00:00Z")?.time.description == "2027-01-04T14:00:00Z")
        for wrong in [
            "", "2027-02-30", "2027-01-04 25:00", "2027-01-04 14", "14:00", "2027-01-04 14:00 x", "soon", "Z",
        ] {
            #expect(LocalMoment(argument: wrong) == nil, "\(wrong)")
        }
    }

    /// The three corners by which readers find it, and the light modules around it.
    @Test func aQRCodeHasItsCornersAndItsMargin() throws {
        let code = try #require(QRCode("https://cast.example.com:8481/j/AbCdEfGhIjKlMnOpQrStUv"))
        #expect(code.width % 4 == 1 && (21...57).contains(code.width))
        let far = code.width - 7
        for (row, column) in [(0, 0), (0, far), (far, 0)] {
            let corner = (0..<7).map { line in
                (0..<7).map { code[row + line, column + $0] ? "#" : "." }.joined()
            }
            #expect(
                corner == [
                    "#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######",
                ])
        }
        let lines = code.lines(isColoured: false)
        #expect(lines.count == (code.width + 9) / 2 && lines.allSatisfy { $0.count == code.width + 8 })
        #expect(lines[0] == String(repeating: "█", count: code.width + 8) && lines[1] == lines[0])
        #expect(QRCode(String(repeating: "x", count: 4000)) == nil)
    }
}
