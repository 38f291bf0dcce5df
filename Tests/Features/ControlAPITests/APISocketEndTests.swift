import CastWire
import CastwayTestSupport
import NIOCore
import Testing

@testable import ControlAPI

/// Readers that take nothing, and callers that ask too often.
@Suite(.timeLimit(.minutes(1))) struct APISocketEndTests {
    /// The peer never reads again, and says all the while that it is there.
    @Test func aReaderThatTakesNothingIsLetGo() async throws {
        try await SocketBench.with(journal: FakeJournal(budget: 1 << 20)) { bench in
            try await bench.open { socket in
                socket.send(text: #"{"id":1,"subscribe":{}}"#)
                while await socket.json().string("frame") != "synced" {}
                try await socket.peer.goDeaf()
                for _ in 0..<200 { bench.journal.happen(String(repeating: "x", count: 100_000)) }
                socket.send(0x89, ByteBuffer())
                #expect(await bench.journal.cancelled.next() == true)
            }
        }
    }

    @Test func subscriptionsCountAsRequests() async throws {
        try await SocketBench.with(rates: CallerRates(perSecond: 1)) { bench in
            try await bench.open { socket in
                var codes: [String?] = []
                for id in 0..<4 {
                    socket.send(text: #"{"id":\#(id),"unsubscribe":true}"#)
                    let answer = await socket.json()
                    #expect(answer.int("id") == id)
                    codes.append(answer.object("problem")?.string("code"))
                }
                #expect(codes.first == "not_subscribed" && codes.last == "rate_limited", "\(codes)")
            }
        }
    }

    @Test func handshakesCountAsRequests() async throws {
        try await SocketBench.with(rates: CallerRates(perSecond: 1)) { bench in
            var refusal: String?
            for _ in 0..<4 where refusal == nil {
                do {
                    try await bench.open { _ in }
                } catch let refused as SocketBench.Refused {
                    refusal = refused.answer
                }
            }
            #expect(refusal?.hasPrefix("HTTP/1.1 429") == true, "\(refusal ?? "")")
            #expect(refusal?.lowercased().contains("retry-after: ") == true)
        }
    }
}
