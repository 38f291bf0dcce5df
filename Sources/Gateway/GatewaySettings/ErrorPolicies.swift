package import GatewayConfig
package import GatewayOperations

/// `errors`: what the gateway does itself about launches and loads of operations that fail.
package struct ErrorPolicies: ConfigSettings {
    /// What becomes of a session whose load has failed.
    package enum LoadEnd: String, Sendable, CaseIterable {
        /// It lives on, so that something else can be loaded.
        case keep
        /// It ends, and its app stops.
        case end
    }

    /// `launch`: of `session.start`.
    package var launch = RetryPolicy()
    /// `load`: of `media.load`.
    package var load = RetryPolicy()
    /// `after_failed_load`: what becomes of the session.
    package var afterFailedLoad = LoadEnd.keep

    /// The keys of `errors`.
    package static let keys: [Key] = [
        Key("launch", \.launch, .object, "Launches and joins by `session.start`, and by loads that start an app first"),
        Key("load", \.load, .object, "Loads by `media.load`"),
        Key(
            "after_failed_load", \.afterFailedLoad, .word,
            "What becomes of the session when a load has failed for good: `keep`, or `end`, which stops its app"),
    ]

    /// Makes policies by which nothing is tried twice.
    package init() {}
}

/// `errors.launch`, `errors.load`: how often something is tried, and after which errors.
package struct RetryPolicy: ConfigSettings {
    /// Errors after which another attempt may help. A refusal is none: it would be repeated.
    package enum Code: String, Sendable, CaseIterable {
        case timeout
        case deviceNotConnected = "device_not_connected"
        case outcomeUnknown = "outcome_unknown"
        case launchCancelled = "launch_cancelled"
        case applicationNotRunning = "application_not_running"
        case sessionNotActive = "session_not_active"
        case invalidResponse = "invalid_response"
        case mediaLoadFailed = "media_load_failed"
        case mediaError = "media_error"
        case requestFailed = "request_failed"
    }

    /// How many attempts there are in all.
    package var attempts = 1
    /// How long the gateway waits before another.
    package var pause = Duration.seconds(2)
    /// After which errors there is another.
    package var codes: [Code] = [.timeout, .deviceNotConnected, .invalidResponse]

    /// The keys of `errors.launch` and `errors.load`.
    package static let keys: [Key] = [
        Key("attempts", \.attempts, .integer(1...5), "How many attempts there are in all"),
        Key("pause", \.pause, .duration(.zero ... .seconds(60)), "How long the gateway waits before another"),
        Key("codes", \.codes, .list(of: .word), "After which errors there is another attempt, by their codes"),
    ]

    /// Makes a policy of one attempt.
    package init() {}

    /// Does something as often as the policy says.
    /// - Throws: the error of the last attempt, and at once one that is not tried again, or when the caller gives up.
    package func perform<Result: Sendable>(
        _ attempt: () async throws(OperationProblem) -> Result
    ) async throws(OperationProblem) -> Result {
        for _ in 1..<max(self.attempts, 1) {
            do throws(OperationProblem) {
                return try await attempt()
            } catch {
                guard self.codes.contains(where: { $0.rawValue == error.code }) else { throw error }
                guard (try? await Task.sleep(for: self.pause)) != nil else { throw error }
            }
        }
        return try await attempt()
    }
}
