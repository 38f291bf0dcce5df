import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import PluginKit
import Testing

@testable import PluginHosting

/// A plugin that keeps to the form of the protocol, and is a nuisance all the same.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PluginNuisanceTests {
    /// The plugin's numbers are none of the gateway's: what it asks wrongly under one costs its own request alone.
    @Test func aMalformedRequestCostsNobodysMessage() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let answer = try await bench.ask(#"{"type":"MALFORMED_CALL","requestId":1}"#)
            #expect(answer.string("type") == "REFUSED")
            #expect(answer.int("code") == -32602)
            let counts = await bench.service.status().counts
            #expect(counts.answered == 1)
            #expect(counts.invalid == 0)
        }
    }

    @Test func whoeverAsksAndDoesNotReadIsEnded() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            try await bench.send(#"{"type":"NAG","requestId":1}"#)
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: "it asks, and does not read the answers", lines: []))
            try await bench.ready()
        }
    }

    /// One that changes its mood all the time is heard now and then, and its words are cut.
    @Test func moodsAreTakenWithReserve() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"MOODS","count":2000,"requestId":1}"#).string("type") == "MOODS_DONE")
            #expect(await bench.service.status().state == .degraded)
            let degraded = bench.log.entries.filter { $0.message == "Plugin degraded" }
            #expect(degraded.count == 30)
            #expect(degraded.allSatisfy { "\($0.metadata["reason"] ?? "")".utf8.count < 300 })
        }
    }

    @Test func whatTheDeviceSaysToAllIsAnsweredToAllOnlyWithAGrant() async throws {
        let claim = PluginClaim(match: PluginBench.namespace.rawValue, phase: .handle, directions: [.toSender])
        try await PluginBench.run(namespaces: [GrantedNamespace(claim)]) { bench in
            try await bench.ready()
            let effects = #"[{"do":"reply_to_sender","payload":{"n":1}}]"#
            try await bench.send(
                #"{"type":"EFFECTS","effects":\#(effects)}"#, from: "t-1", to: "*", direction: .toSender)
            try await bench.send(#"{"type":"PASS"}"#, from: "t-1", to: "sender-1", direction: .toSender)
            #expect(await bench.steps.next() == .forwarded(#"{"type":"PASS"}"#))
            #expect(await bench.service.status().counts.refused == 1)
        }
    }
}
