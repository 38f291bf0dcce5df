import CastClient
import CastWire
import FeatureContract
import GatewayOperations
import GatewaySettings

/// Launches and loads, as often as `errors` says.
extension DeviceControls {
    /// After these errors the app has what it could not load, and plays nothing.
    private static let failedLoads: Set<String> = ["media_load_failed", "media_error"]

    private var policies: ErrorPolicies { self.context.configuration.current.errors }

    /// Starts or joins an app.
    func start(
        _ wish: SessionStartRequest, on device: any ControlledDevice
    ) async throws(OperationProblem) -> ControlledSession {
        try await self.policies.launch.perform { () async throws(OperationProblem) in try await device.start(wish) }
    }

    /// Has the app load something, and ends the app when that has failed and the operator wants it so.
    func load(
        _ command: MediaCommand, on device: any ControlledDevice
    ) async throws(OperationProblem) -> MediaSnapshot {
        let policies = self.policies
        do throws(OperationProblem) {
            return try await policies.load.perform { () async throws(OperationProblem) in
                try await device.perform(command).media
            }
        } catch {
            if policies.afterFailedLoad == .end, Self.failedLoads.contains(error.code) {
                _ = try? await device.askStatus(["type": "STOP"])
            }
            throw error
        }
    }
}
