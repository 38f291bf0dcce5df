import CastClient
import CastWire
import DeviceSessions
import FeatureContract
import GatewayCore
import GatewayOperations
import NIOCore
import VirtualDevices

/// A virtual device, acted on as one more sender of it: handlers and rules see what is asked, and what stands behind the device
/// carries it out.
struct VirtualControlledDevice: ControlledDevice {
    let kind = DeviceReference.Kind.virtual
    let name: String
    /// Speaks to the virtual devices.
    let senders: VirtualDeviceSenders
    /// The sender that the device sees.
    let origin: MessageOrigin
    /// Knows what launches carry.
    let devices: RealDevicesFeature

    /// How long what stands behind the device may take: another device takes its time as any real one does.
    private var timeouts: SessionTimeouts { self.devices.directory.timeouts }

    // MARK: Media

    func perform(_ command: MediaCommand) async throws(OperationProblem) -> (reply: JSONObject, media: MediaSnapshot) {
        let sessions = try await self.sessions()
        guard let app = sessions.first(where: { $0.app.namespaces.contains(.media) }) ?? sessions.first else {
            throw OperationProblem(deviceFailure: .applicationNotRunning, "no app runs on \(self.name)")
        }
        let before = MediaSnapshot(app, at: self.now)
        guard before.isAvailable else {
            throw OperationProblem(deviceFailure: .unsupportedFeature, "the app on \(self.name) plays no media")
        }
        let message: JSONObject?
        do throws(RequestError) {
            message = try command.message(knowing: before, at: self.now)
        } catch {
            // What has ended is stopped already.
            guard command.type == .stop, error.code == .noMediaSession else { throw OperationProblem(error) }
            return ([:], before)
        }
        guard let message else { return ([:], before) }
        return try await self.send(message, of: command, to: app.app.sessionID)
    }

    /// Sends a message to the app; one that does not fit into a frame in several parts.
    private func send(
        _ message: JSONObject, of command: MediaCommand, to session: String
    ) async throws(OperationProblem) -> (reply: JSONObject, media: MediaSnapshot) {
        var parts: MediaMessageParts
        do throws(RequestError) {
            parts = try MediaMessageParts(message)
        } catch {
            throw OperationProblem(error)
        }
        var reply: JSONObject = [:]
        var next: JSONObject? = parts.first
        while let part = next {
            do throws(OperationProblem) {
                reply = try await self.request(
                    part, in: .media, session: session, wait: self.patience(for: command),
                    replacing: command.replacementName)
            } catch {
                throw OperationProblem(
                    error.code, status: error.status, parts.failure(error.detail), members: error.members)
            }
            let media = await self.media()
            do throws(RequestError) {
                next = try parts.next(after: media)
            } catch {
                throw OperationProblem(error)
            }
        }
        return (reply, await self.media())
    }

    private func patience(for command: MediaCommand) -> Duration {
        let timeouts = self.timeouts
        return command.patience(MediaClientOptions(answerTimeout: timeouts.answer, loadTimeout: timeouts.load))
    }

    func media() async -> MediaSnapshot {
        let sessions = (try? await self.sessions()) ?? []
        guard let app = sessions.first(where: { $0.app.namespaces.contains(.media) }) else { return MediaSnapshot() }
        return MediaSnapshot(app, at: self.now)
    }

    var isJoined: Bool { true }

    /// What runs on the device.
    func sessions() async throws(OperationProblem) -> [GatewaySnapshot.Session] {
        guard let state = await self.senders.snapshot(of: self.name) else {
            throw OperationProblem(GatewayError(.unavailable, "the virtual device \(self.name) does not run"))
        }
        return state.sessions
    }

    // MARK: Messages

    /// Handlers answer for the apps of the built-in receiver, so each of these takes every namespace.
    func listens(in namespace: Namespace) async -> Bool {
        guard let state = await self.senders.snapshot(of: self.name) else { return false }
        let isRelayed = state.devices.contains { $0.target != nil }
        return state.sessions.contains { !isRelayed || $0.app.namespaces.contains(namespace) }
    }

    func ask(
        _ request: JSONObject, in namespace: Namespace, replacing: String?
    ) async throws(OperationProblem) -> JSONObject {
        try await self.request(
            request, in: namespace, session: nil, wait: self.timeouts.answer, replacing: replacing)
    }

    /// The platform has to be asked.
    func knownStatus() async -> ReceiverStatus? { nil }

    func send(_ message: AppMessage) async throws(OperationProblem) -> CastMessage.Payload? {
        do throws(GatewayError) {
            return try await self.senders.send(
                message.payload, namespace: message.namespace,
                to: AppAddress(device: self.name, session: message.session), as: self.origin, wait: message.wait)
        } catch {
            throw OperationProblem(virtualDevice: error)
        }
    }

    private func request(
        _ request: JSONObject, in namespace: Namespace, session: String?, wait: Duration, replacing: String?
    ) async throws(OperationProblem) -> JSONObject {
        let answer: CastMessage.Payload?
        do throws(GatewayError) {
            let kind = replacing.map { "\(request.string("type") ?? "") \($0)" }
            answer = try await self.senders.send(
                .json(request), namespace: namespace, to: AppAddress(device: self.name, session: session),
                as: self.origin, wait: wait, replacing: kind)
        } catch {
            throw OperationProblem(virtualDevice: error)
        }
        guard let reply = answer?.jsonObject else {
            throw OperationProblem(deviceFailure: .invalidResponse, "\(self.name) answers with no JSON object")
        }
        if let refusal = RequestError(reply: reply) { throw OperationProblem(refusal) }
        return reply
    }

    // MARK: Sessions

    func start(_ wish: SessionStartRequest) async throws(OperationProblem) -> ControlledSession {
        let running = try await self.sessions()
        if wish.isExclusive, let present = running.first {
            throw OperationProblem(
                deviceFailure: .invalidState, "\(present.app.displayName) runs on \(self.name) already",
                members: ["running_app": .string(present.app.appID.rawValue)])
        }
        if let sessionID = wish.sessionID {
            guard let session = running.first(where: { $0.app.sessionID == sessionID }) else {
                throw OperationProblem(
                    deviceFailure: .joinSessionMismatch, "the session '\(sessionID)' does not run on \(self.name)")
            }
            return .virtual(self, session)
        }
        guard let app = wish.app else { throw OperationProblem(deviceFailure: .invalidRequest, "no app is named") }
        var options = self.devices.launchOptions(for: app, on: .virtual, wish)
        // What the configuration has for launches is added on the way, as to those of other senders.
        options.credentials = wish.credentials
        if !options.relaunchesIfRunning, let session = running.first(where: { $0.app.isOne(of: [app]) }) {
            return .virtual(self, session)
        }
        let launch = options.request(for: app, requestID: .spontaneous).json
        _ = try await self.request(
            launch, in: .receiver, session: nil, wait: self.timeouts.launch, replacing: nil)
        guard let session = try await self.sessions().first(where: { $0.app.isOne(of: [app]) }) else {
            throw OperationProblem(deviceFailure: .applicationNotRunning, "\(self.name) does not run the app \(app)")
        }
        return .virtual(self, session)
    }
}

extension MediaSnapshot {
    /// What is known of an app on a virtual device.
    init(_ session: GatewaySnapshot.Session, at now: NIODeadline) {
        var app = ReceiverApplication(
            appID: session.app.appID, displayName: session.app.displayName, sessionID: session.app.sessionID,
            transportID: session.app.transportID, namespaces: session.app.namespaces)
        app.appType = session.app.appType
        self.init(app: app, status: session.media.map { MediaStatus(json: $0) }, at: now)
    }
}
