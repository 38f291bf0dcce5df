import CastClient
import CastWire
import DeviceSessions
import FeatureContract
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
        do throws(AppCommandFailure) {
            return try await self.directory.perform(command, on: self.name)
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
        do throws(AppCommandFailure) {
            return try await self.directory.send(
                message.payload, in: message.namespace, to: self.name, sessionID: message.session, from: self.origin,
                wait: message.wait
            ).map { .json($0) }
        } catch {
            throw OperationProblem(error)
        }
    }

    func start(_ wish: SessionStartRequest) async throws(OperationProblem) -> ControlledSession {
        do throws(SessionFailure) {
            let aim: SessionTarget
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

extension OperationProblem {
    /// Converts the failure of a command to an app on a real device.
    fileprivate init(_ failure: AppCommandFailure) {
        switch failure {
        case .session(let failure): self.init(failure)
        case .request(let error): self.init(error)
        case .gateway(let error): self.init(error)
        }
    }
}
