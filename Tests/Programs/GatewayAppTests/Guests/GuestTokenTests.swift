import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp

/// A guest's token, by the API of a running gateway.
@Suite(.timeLimit(.minutes(1))) struct GuestTokenTests {
    private func call(_ api: APIBench, _ name: OperationName, _ input: JSONObject) async throws -> JSONObject {
        try await api.running.gateway.operations.call(name, input, for: .admin).get().body
    }

    /// A token that may control the hall, with its guest.
    private func guest(_ api: APIBench) async throws -> (id: String, token: String) {
        let made = try await self.call(
            api, "join_code.create", ["devices": ["hall"], "connect": false, "scopes": ["read", "control"]])
        let redeemed = try await self.call(api, "join_code.redeem", ["code": made["code"] ?? ""])
        return (try #require(redeemed.string("id")), try #require(redeemed.string("secret")))
    }

    @Test func checkOutEndsTheSocketsOfTheGuestsToken() async throws {
        try await APIBench.with { api in
            let guest = try await self.guest(api)
            try await HTTPPeer.connect(to: api.port) { peer in
                let socket = WebSocketPeer(peer)
                let answer = await socket.open(
                    "/api/v1/socket",
                    ["Host": "127.0.0.1", "Authorization": "Bearer \(guest.token)"])
                #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
                socket.send(text: #"{"id":"a","call":"devices.list","input":{}}"#)
                let first = try #require(await socket.next())
                #expect(first.text.contains(#""id":"a""#), "\(first)")
                _ = try await self.call(api, "guest.check_out", ["guest": .string(guest.id)])
                var last: WebSocketPeer.Frame?
                while let frame = await socket.next() { last = frame }
                #expect(last?.first == 0x88, "\(String(describing: last))")
            }
            #expect(try await api.ask("GET /api/v1/devices", token: guest.token).status == 401)
            #expect(api.hasAudited(.guestLeft, guest.id))
        }
    }

    @Test func aGuestSeesItselfAlone() async throws {
        try await APIBench.with { api in
            let (guest, other) = (try await self.guest(api), try await self.guest(api))
            _ = try await self.call(api, "join_code.create", ["devices": ["hall"], "name": "Müller, A."])
            let guests = try await api.ask("GET /api/v1/guests", token: guest.token)
            #expect(guests.status == 200 && guests.has(guest.id) && !guests.has(other.id), "\(guests)")
            let codes = try await api.ask("GET /api/v1/join-codes", token: guest.token)
            #expect(codes.status == 403 && codes.code == "guest_not_allowed", "\(codes)")
            #expect(!codes.has("Müller"))
            let all = try await self.call(api, "guests.list", [:])
            #expect(all.array("guests")?.count == 2)
        }
    }

    @Test func aGuestMayDoWhatTheCodeSaysAndLetsNoOtherIn() async throws {
        try await APIBench.with { api in
            let guest = try await self.guest(api)
            let listed = try await api.ask("GET /api/v1/virtual-devices", token: guest.token)
            #expect(listed.status == 200 && listed.has("\"hall\"") && !listed.has("\"office\""), "\(listed)")
            for (line, body, code) in [
                ("POST /api/v1/join-codes", #"{"devices":["hall"]}"#, "guest_not_allowed"),
                ("POST /api/v1/join-codes", #"{"devices":["hall"],"scopes":["read"]}"#, "scope_missing"),
                ("POST /api/v1/guests/check-out", #"{"device":"hall"}"#, "guest_not_allowed"),
                ("POST /api/v1/guests", #"{"code":"1234 5678","address":"192.0.2.7"}"#, "guest_not_allowed"),
                ("POST /api/v1/tokens", #"{"name":"x"}"#, "scope_missing"),
                ("POST /api/v1/join-codes", #"{"devices":["office"]}"#, "device_not_allowed"),
            ] {
                let answer = try await api.ask(
                    line, token: guest.token, headers: ["Content-Type: application/json"], body: body)
                #expect(answer.status == 403 && answer.code == code, "\(body): \(answer)")
            }
            // No administrator is made of a guest.
            let admin = try await api.ask(
                "POST /api/v1/join-codes", token: APIBench.operatorToken, headers: ["Content-Type: application/json"],
                body: #"{"devices":["hall"],"scopes":["admin"]}"#)
            #expect(admin.status == 422 && admin.code == "invalid_input", "\(admin)")
            // A token of the file that may not make tokens makes no code that gives one.
            let reader = try await api.ask(
                "POST /api/v1/join-codes", token: APIBench.reader, headers: ["Content-Type: application/json"],
                body: #"{"devices":["hall"]}"#)
            #expect(reader.status == 403 && reader.code == "scope_missing", "\(reader)")
        }
    }
}
