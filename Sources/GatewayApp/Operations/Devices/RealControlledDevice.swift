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

    func send(_ message: AppMessage) async throws(OperationProblem) -> CastMessage.Payload? {
        let session = try await self.session(needsMedia: false)
        do throws(SessionFailure) {
            if let wanted = message.session, try await session.facts.sessionID != wanted {
                throw SessionFailure(.applicationNotRunning, "no app runs on \(self.name) in a session '\(wanted)'")
            }
            let answer = try await session.send(message.payload, in: message.namespace, wait: message.wait)
            return answer.map { .json($0) }
        } catch {
            throw OperationProblem(error)
        }
    }

    func start(_ wish: SessionWish) async throws(OperationProblem) -> ControlledSession {
        do throws(SessionFailure) {
            if let present = await self.directory.currentSession(device: self.name) {
                if try await self.fulfils(present, wish) { return .own(present) }
                // The device has room for one app, and the gateway for one session with it.
                try await present.end(.leave)
            }
            if let sessionID = wish.sessionID {
                return .own(try await self.directory.joinSession(device: self.name, sessionID: sessionID))
            }
            guard let app = wish.app else { throw SessionFailure(.invalidRequest, "no app is named") }
            let options = self.devices.launchOptions(for: app, wish)
            return .own(try await self.directory.startSession(device: self.name, app: app, options: options))
        } catch {
            throw OperationProblem(error)
        }
    }

    /// Whether a session is what a caller wants to be started.
    private func fulfils(_ session: CastSession, _ wish: SessionWish) async throws(SessionFailure) -> Bool {
        let facts = try await session.facts
        guard facts.state == .connected else { return false }
        if let sessionID = wish.sessionID { return facts.sessionID == sessionID }
        guard let app = wish.app, !self.devices.launchOptions(for: app, wish).relaunchesIfRunning else { return false }
        return facts.appID == app || facts.app?.matches(app) == true
    }
}
