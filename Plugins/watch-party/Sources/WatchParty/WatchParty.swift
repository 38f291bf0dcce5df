public import PluginKit

/// Keeps several devices in step: play, pause and seek on one follow on the others that play the same.
public actor WatchParty: CastPlugin {
    private let gateway: PluginGateway
    private var parties: [Party]
    private var requests = 0

    /// Takes the parties.
    public init(_ gateway: PluginGateway) throws {
        self.gateway = gateway
        let settings = try PartySettings(gateway.configuration)
        self.parties = settings.parties.map {
            Party($0, tolerance: settings.tolerance ?? 2, settle: .milliseconds(Int((settings.settle ?? 5) * 1_000)))
        }
    }

    /// Looks what plays already.
    public func start(_ snapshot: PluginSnapshot) async throws {
        let media = try await self.gateway.media()
        for playing in media {
            await self.hear(MediaStatus(json: playing.status), from: playing.device, session: playing.session)
        }
    }

    /// A device told its senders how things stand.
    public func observe(_ message: PluginMessage, dropped: Int) async throws {
        guard message.type == MediaResponseType.mediaStatus.rawValue, let statuses = message.json?.array("status")
        else {
            return
        }
        guard let status = statuses.first?.objectValue else { return self.leave(message.device) }
        await self.hear(MediaStatus(json: status), from: message.device, session: message.session)
    }

    /// A session is over, and with it what it played.
    public func event(_ event: PluginEvent) async throws {
        guard event.type == "session.ended", let device = event.data.string("device") else { return }
        self.leave(device)
    }

    private func leave(_ device: String) {
        for index in self.parties.indices { self.parties[index].leave(device) }
    }

    private func hear(_ status: MediaStatus, from device: String, session: String?) async {
        guard let index = self.parties.firstIndex(where: { $0.devices.contains(device) }) else { return }
        let now = self.gateway.clock.now
        for command in self.parties[index].hear(status, from: device, session: session, now: now) {
            await self.carryOut(command)
        }
    }

    private func carryOut(_ command: PartyCommand) async {
        self.requests += 1
        do {
            try await self.gateway.send(
                command.request(RequestID(self.requests)), namespace: .media, to: command.device,
                session: command.session)
        } catch {
            self.gateway.log(
                .warning, "a device could not be told to follow: \(error)", ["device": .string(command.device)])
        }
    }
}
