import CastClient
import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// What a session of Castway's own loads carries what `launch` says, like what senders load.
@Suite(.timeLimit(.minutes(2))) struct OwnLoadTests {
    /// Hears the loads that reach a gateway.
    private struct LoadObserver: MessageHandler {
        let name = "load-observer"
        let claims = [Claim(.exact(.media), phase: .observe, types: ["LOAD"])]
        let loads = Inbox<LoadRequest>()

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            if let json = message.message.payload.jsonObject { self.loads.put(LoadRequest(json: json)) }
            return .pass
        }
    }

    @Test func credentialsThatAreMeantForLoadsAreSent() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let observer = LoadObserver()
            try hall.gateway.registry.register(observer)
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
            ]
            configuration.launch.appCredentials["CC1AD845"] = LaunchCredentials(credentials: Secret("who-loads")) {
                $0.type = "linux"
                $0.appliesToLoad = true
            }
            try await RunningGateway.with(configuration) { near in
                let session = try await near.gateway.startSession(device: "wall", app: .defaultMediaReceiver)
                let media: JSONObject = ["contentId": "http://media.invalid/a.mp4", "contentType": "video/mp4"]
                try await session.media.perform(.load(LoadRequest(json: ["media": .object(media)])))
                let load = await observer.loads.next { $0 }
                #expect(load?.credentials == "who-loads" && load?.credentialsType == "linux")
                near.gateway.launchSettings.clearCredentials(for: .defaultMediaReceiver)
                try await session.media.perform(.load(LoadRequest(json: ["media": .object(media)])))
                let another = await observer.loads.next { $0 }
                #expect(another != nil && another?.credentials == nil)
            }
        }
    }
}
