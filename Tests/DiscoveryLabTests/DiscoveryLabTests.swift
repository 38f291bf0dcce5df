import Testing

/// Castway among real daemons: every host has an Avahi daemon of its own, and hears the others by multicast alone.
///
/// It takes root and network namespaces; where they are missing the tests are skipped, and say why. What each scenario
/// does stands in its driver.
@Suite(.enabled(if: Lab.obstacle == nil, "\(Lab.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct DiscoveryLabTests {
    private static let scenarios = [
        "finding", "announcing", "asking", "daemons", "knowing", "senders", "relaying", "returning", "exchanging",
        "rooms", "unplugged",
        "templates",
    ]

    /// A hotel, a school and a home with two networks: announcements, TLS, and mirrored streams both ways, with nothing forwarded.
    @Test(.enabled(if: Lab.ruleObstacle == nil, "\(Lab.ruleObstacle ?? "")"))
    func theDeploymentsOfThePagesWork() async throws {
        let result = try await Lab.play("deployments")
        #expect(result.status == 0 && result.output == "done\n", "\(result.output)")
    }

    /// At the same time, each in a network of its own: they wait more than they work.
    @Test func theScenariosPlayToTheirEnds() async throws {
        try await withThrowingTaskGroup(of: (String, ScenarioProcess.Result).self) { group in
            for scenario in Self.scenarios {
                group.addTask { (scenario, try await Lab.play(scenario)) }
            }
            for try await (scenario, result) in group {
                #expect(result.status == 0 && result.output == "done\n", "\(scenario): \(result.output)")
            }
        }
    }
}
