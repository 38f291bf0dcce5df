import Foundation
import NIOCore

/// The clocks of rules.
struct RuleTime: Sendable {
    /// The instant, for rates.
    let now: @Sendable () -> NIODeadline
    /// The time of day: seconds since 1970, UTC.
    let secondsSince1970: @Sendable () -> Int

    static let system = RuleTime(
        now: { .now() }, secondsSince1970: { Int(Date().timeIntervalSince1970.rounded(.down)) })
}
