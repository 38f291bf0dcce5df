import CastClient
import CastWire

/// An app that plays media, with a client that follows and commands it.
struct MediaApp: Sendable {
    /// The app.
    let app: RemoteApp
    /// Follows and commands what it plays.
    let client: MediaClient

    /// Makes a client for an app that this sender is connected to.
    static func following(_ app: RemoteApp, options: MediaClientOptions) async throws -> MediaApp {
        let counter = app.device.counter
        let application = app.application
        let client = try await app.withChannel { channel in
            let driver = MediaClientDriver(eventLoop: channel.eventLoop, counter: counter, options: options)
            let transport = AppTransport(channel)
            // The channel keeps both alive as long as it stands.
            channel.onMessage = { message in
                withExtendedLifetime(transport) { driver.receive(message) }
            }
            channel.onEnd = { reason in
                if case .connectionClosed = reason { driver.detach() } else { driver.suspend() }
            }
            driver.attach(to: transport, app: application)
            return driver.client
        }
        return MediaApp(app: app, client: client)
    }

    /// Asks for something; gives the app's answer.
    func perform(_ command: MediaCommand) async throws -> JSONObject {
        try await self.client.perform(command)
    }

    /// The status, once the app has told it.
    func status() async throws -> JSONObject {
        try await self.client.perform(.refreshStatus())
    }
}
