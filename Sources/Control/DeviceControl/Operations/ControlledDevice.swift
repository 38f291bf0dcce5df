import CastClient
import CastWire
import FeatureContract
import GatewayOperations
import NIOCore

/// A device that an operation acts on, real or virtual, so that each operation is written once.
///
/// Every request is waited for until the device's own answer shows it. Failures are problems of ``DeviceProblem``.
protocol ControlledDevice: Sendable {
    /// Whether it is a real or a virtual one.
    var kind: DeviceReference.Kind { get }
    /// The one name that the gateway knows it by.
    var name: String { get }

    /// Asks the app that plays media for something, and waits until it has answered.
    /// - Returns: the answer, and how the media stands then.
    func perform(_ command: MediaCommand) async throws(OperationProblem) -> (reply: JSONObject, media: MediaSnapshot)

    /// What plays, as far as it is known without asking.
    func media() async -> MediaSnapshot

    /// The queue with the ids that its app has now, which it tells by itself, and the items among a page of it that are known; nil
    /// where the app has to be asked.
    func knownQueue(offset: Int, limit: Int) async -> (ids: [Int], items: [Int: QueueItem])?

    /// Forgets the items of the queue that are known.
    func forgetQueue() async

    /// Whether the app can be asked without being joined first.
    var isJoined: Bool { get async }

    /// The present instant of the clock that snapshots are told by.
    var now: NIODeadline { get }

    /// Asks the platform something.
    /// - Parameter replacing: what it is when only the newest of its kind counts; nil when it replaces none.
    func ask(
        _ request: JSONObject, in namespace: Namespace, replacing: String?
    ) async throws(OperationProblem) -> JSONObject

    /// The status that the device told last; nil when that is not known without asking.
    func knownStatus() async -> ReceiverStatus?

    /// Sends the app a message, and gives its answer when it was waited for.
    func send(_ message: AppMessage) async throws(OperationProblem) -> CastMessage.Payload?

    /// Whether an app runs that takes messages in a namespace of its own, as far as is known without joining it.
    func listens(in namespace: Namespace) async -> Bool

    /// Starts or joins an app.
    func start(_ wish: SessionStartRequest) async throws(OperationProblem) -> ControlledSession
}

/// A message to an app.
struct AppMessage: Sendable {
    let payload: CastMessage.Payload
    let namespace: Namespace
    /// The session that is meant, by the device's id; nil for the app that runs.
    let session: String?
    /// How long the answer is waited for; nil when none is.
    let wait: Duration?
}

/// What a caller wants to be started.
struct SessionStartRequest: Sendable {
    /// The app; nil when only a session that runs is joined.
    var app: AppID?
    /// The session that is joined, by the device's id; nothing is launched then.
    var sessionID: String?
    var language: String?
    var relaunches: Bool?
    var isAndroidReceiverCompatible: Bool?
    var credentials: ReceiverRequest.LaunchCredentials?
    /// What the app is given beside that: members of `appParams`.
    var parameters: JSONObject?
    /// What the app must be able to do.
    var requiredFeatures: [String] = []
    var senderName: String?
    /// Whether the start is refused beside a session that there is.
    var isExclusive = false
}

extension ControlledDevice {
    var now: NIODeadline { .now() }

    func knownQueue(offset: Int, limit: Int) async -> (ids: [Int], items: [Int: QueueItem])? { nil }

    func forgetQueue() async {}

    /// The platform's status.
    func status() async throws(OperationProblem) -> ReceiverStatus {
        if let known = await self.knownStatus() { return known }
        return try await self.askStatus(["type": "GET_STATUS"])
    }

    /// Asks the platform something that it answers with its status.
    func askStatus(
        _ request: JSONObject, replacing: String? = nil
    ) async throws(OperationProblem) -> ReceiverStatus {
        let reply = try await self.ask(request, in: .receiver, replacing: replacing)
        guard let status = ReceiverStatusPayload(json: reply).status else {
            throw OperationProblem(
                deviceFailure: .invalidResponse,
                "\(self.name) answers with \(reply.string("type") ?? "something") instead of its status")
        }
        return status
    }

    /// The members of a speaker group; none for any other device.
    func members() async throws(OperationProblem) -> [MultizoneDevice] {
        MultizonePayload(json: try await self.ask(["type": "GET_STATUS"], in: .multizone, replacing: nil)).devices
    }
}
