import CastClient
import CastIdentity
import CastWire
import GatewayCore
import GatewayTesting
import Glibc
import Testing

/// A device without hardware, for other packages' tests.
@Suite(.timeLimit(.minutes(2))) struct FakeChromecastTests {
    @Test func aSenderCastsToIt() async throws {
        try await FakeChromecast.with { chromecast in
            let events = chromecast.events.subscribe { if case .sessionStarted = $0 { true } else { false } }
            let device = try await RemoteDevice.connect(host: chromecast.host, port: chromecast.port)
            let app = try await device.run(.defaultMediaReceiver)
            for await event in events.events {
                guard case .sessionStarted(_, let session) = event else { continue }
                #expect(session.displayName == "Default Media Receiver")
                break
            }
            let media = try await app.media()
            var film = MediaInformation()
            film.contentURL = "http://192.0.2.9/film.mp4"
            film.contentType = "video/mp4"
            film.duration = 600
            try await media.perform(.load(film))
            let playing = try await media.wait(for: .seconds(20)) { $0.playerState == .playing }
            #expect(playing.media?.contentURL == "http://192.0.2.9/film.mp4")
            try await app.stop()
            await device.close()
        }
    }

    @Test func aHandlerSitsBetweenSendersAndApps() async throws {
        let namespace: Namespace = "urn:x-cast:com.example.counter"
        let app = FakeChromecast.App("ABCD1234", name: "Counter", namespaces: [namespace])
        try await FakeChromecast.with([app], handlers: [CounterHandler()]) { chromecast in
            let device = try await RemoteDevice.connect(host: chromecast.host, port: chromecast.port)
            let app = try await device.run("ABCD1234")
            #expect(app.application.displayName == "Counter" && app.application.namespaces.contains(namespace))
            for number in 1...2 {
                let answer = try await device.request(["type": "COUNT"], in: namespace, to: app.transportID)
                #expect(answer.payload.jsonObject?.int("number") == number)
            }
            await device.close()
        }
    }

    @Test func itProvesItselfByItsRoot() async throws {
        try await FakeChromecast.with { chromecast in
            let device = try await RemoteDevice.dial(host: chromecast.host, port: chromecast.port)
            let nonce = (0..<16).map { UInt8($0) }
            let challenge = DeviceAuthMessage(challenge: AuthChallenge(senderNonce: nonce, hashAlgorithm: .sha256))
            let answer = try await device.exchange(challenge.payload, in: .deviceAuth, to: .platformReceiver)
            let response = try #require(try DeviceAuthMessage(parsing: answer.payload.bytes).response)
            let pem = try PEMFile(path: "root.pem", contents: Array(chromecast.rootCertificate.utf8))
            let verified = try DeviceAuthVerifier(trustedRoots: try TrustAnchorFile(pem).certificates).verify(
                DeviceAuthProof(
                    signature: response.signature, deviceCertificate: response.clientAuthCertificate,
                    intermediates: response.intermediateCertificates, hash: .sha256, nonce: nonce),
                leaf: try #require(await device.peerLeaf()), challengeNonce: nonce, now: Int64(time(nil)))
            #expect(verified.isFresh)
            #expect(chromecast.id.count == 32)
            await device.close()
        }
    }

    @Test func whatTheTestThrowsComesOut() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await FakeChromecast.with { _ in throw Failure() }
        }
        await #expect(throws: GatewayError.self) {
            try await FakeChromecast.with(handlers: [CounterHandler(), CounterHandler()]) { _ in }
        }
    }
}
