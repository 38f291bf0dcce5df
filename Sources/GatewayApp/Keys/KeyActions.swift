import CastClient
import CastWire
import GatewayOperations

/// Has devices do what keys want, by the operations that callers have.
struct KeyActions: Sendable {
    /// Who asks.
    static let caller = Caller(name: "keys", scopes: [.read, .control])

    /// Has an operation done.
    private let call: @Sendable (OperationName, JSONObject) async -> Result<JSONObject, OperationProblem>

    /// Acts by operations.
    /// - Parameter call: has one done.
    init(call: @escaping @Sendable (OperationName, JSONObject) async -> Result<JSONObject, OperationProblem>) {
        self.call = call
    }

    /// Has a device do something.
    /// - Returns: why it was not done; nil when it was.
    func perform(_ wish: KeyPresses.Wish, on device: String) async -> OperationProblem? {
        let device = JSONValue.string(device)
        switch wish {
        case .volume(let amount): return await self.problem("volume.set", ["device": device, "by": .number(amount)])
        case .mute: return await self.problem("volume.set", ["device": device, "muted": "toggle"])
        case .media(.playOrPause):
            switch await self.call("media.status", ["device": device]) {
            case .failure(let problem): return problem
            case .success(let status):
                let state = MediaPlayerState(rawValue: status.string("player_state") ?? "")
                let plays = state == .playing || state == .buffering || state == .loading
                return await self.problem(plays ? "media.pause" : "media.play", ["device": device])
            }
        case .media(let key):
            guard let operation = Self.operations[key] else { return nil }
            return await self.problem(operation, ["device": device])
        }
    }

    private static let operations: [HostKey: OperationName] = [
        .play: "media.play", .pause: "media.pause", .stop: "media.stop", .next: "queue.next",
        .previous: "queue.previous",
    ]

    private func problem(_ name: OperationName, _ input: JSONObject) async -> OperationProblem? {
        switch await self.call(name, input) {
        case .success: nil
        case .failure(let problem): problem
        }
    }
}
