import CastClient
import CastWire
import DeviceSessions
import GatewayCore
import GatewayOperations

/// A real device, acted on through the gateway's own channel to it, and its own session with the app.
struct RealControlledDevice: ControlledDevice {
    let kind = DeviceReference.Kind.real
    let name: String
    /// Has the channels and sessions.
    let devices: RealDevicesFeature
    /// Who acts.
    let origin: MessageOrigin

    private var directory: DeviceSessionDirectory { self.devices.directory }

    func perform(_ command: MediaCommand) async throws(OperationProblem) -> (reply: JSONObject, media: MediaSnapshot) {
        let session = try await self.session(needsMedia: true)
        do throws(RequestError) {
            let reply = try await session.media.perform(command)
            return (reply, session.media.snapshot)
        } catch {
            throw OperationProblem(error)
        }
    }

    /// The session that there is, or one that joins what runs.
    private func session(needsMedia: Bool) async throws(OperationProblem) -> CastSession {
        do throws(SessionFailure) {
            return try await self.directory.controlSession(device: self.name, needsMedia: needsMedia)
        } catch {
            throw OperationProblem(error)
        }
    }

    var isJoined: Bool {
        get async {
            guard let session = await self.directory.currentSession(device: self.name) else { return false }
            return (try? await session.facts.state) == .connected
        }
    }

    func knownQueue(offset: Int, limit: Int) async -> (ids: [Int], items: [Int: QueueItem])? {
        guard let session = await self.directory.currentSession(device: self.name) else { return nil }
        let queue = session.media.queue
        guard queue.isCurrent, let ids = queue.itemIDs else { return nil }
        return (ids, await session.media.knownQueueItems(Array(ids.dropFirst(offset).prefix(limit))))
    }

    func forgetQueue() async {
        await self.directory.currentSession(device: self.name)?.media.forgetQueueItems()
    }

    func media() async -> MediaSnapshot { await self.directory.media(on: self.name) }

    func ask(
        _ request: JSONObject, in namespace: Namespace, replacing: String?
    ) async throws(OperationProblem) -> JSONObject {
        do throws(RequestError) {
            return try await self.directory.ask(request, in: namespace, of: self.name, replacing: replacing)
        } catch {
            throw OperationProblem(error)
        }
    }

    func knownStatus() async -> ReceiverStatus? {
        guard self.directory.isOnline(self.name) else { return nil }
        return await self.directory.status(of: self.name)
    }

    func listens(in namespace: Namespace) async -> Bool {
        let applications = await self.knownStatus()?.applications ?? []
        return applications.contains { $0.namespaces.contains(namespace) }
    }

    func send(_ message: AppMessage) async throws(OperationProblem) -> CastMessage.Payload? {
        let session = try await self.session(needsMedia: false)
        try await self.checkListed(message.namespace, by: session)
        do throws(SessionFailure) {
            if let wanted = message.session, try await session.facts.sessionID != wanted {
                throw SessionFailure(.applicationNotRunning, "no app runs on \(self.name) in a session '\(wanted)'")
            }
            let answer = try await session.send(
                message.payload, in: message.namespace, from: self.origin, wait: message.wait)
            return answer.map { .json($0) }
        } catch {
            throw OperationProblem(error)
        }
    }

    /// A channel of an app is connected only where the app lists the namespace.
    private func checkListed(_ namespace: Namespace, by session: CastSession) async throws(OperationProblem) {
        guard let app = try? await session.facts.app, !app.namespaces.contains(namespace) else { return }
        throw OperationProblem(
            GatewayError(.unsupportedNamespace, "the app on '\(self.name)' does not list '\(namespace)'"))
    }

    func start(_ wish: SessionWish) async throws(OperationProblem) -> ControlledSession {
        do throws(SessionFailure) {
            let aim: SessionAim
            if let sessionID = wish.sessionID {
                aim = .session(sessionID)
            } else if let app = wish.app {
                aim = .app(app, self.devices.launchOptions(for: app, on: self.directory.category(of: self.name), wish))
            } else {
                throw SessionFailure(.invalidRequest, "no app is named")
            }
            return .own(
                try await self.directory.openSession(device: self.name, aim, isExclusive: wish.isExclusive))
        } catch {
            throw OperationProblem(error)
        }
    }
}
