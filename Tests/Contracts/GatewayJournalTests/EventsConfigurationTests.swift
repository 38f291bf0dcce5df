import NIOCore
import Testing

@testable import GatewayJournal

@Suite struct EventsConfigurationTests {
    @Test func theDefaultsAreThoseOfTheJournal() {
        #expect(EventsConfiguration().limits == JournalLimits())
    }

    @Test func theJournalTakesWhatIsConfigured() {
        var configuration = EventsConfiguration()
        configuration.history = 1 << 20
        configuration.historyAge = .milliseconds(1500)
        configuration.clientBudget = 64 << 10
        #expect(configuration.limits.history == 1 << 20)
        #expect(configuration.limits.historyAge == .milliseconds(1500))
        #expect(configuration.limits.clientBudget == 64 << 10)
    }

    @Test func instantsAreToldInUTC() {
        var timestamp = JournalTimestamp()
        #expect(timestamp.text(1_700_000_000_007) == "2023-11-14T22:13:20.007Z")
        #expect(timestamp.text(1_700_000_000_999) == "2023-11-14T22:13:20.999Z")
        #expect(timestamp.text(951_782_400_000) == "2000-02-29T00:00:00.000Z")
        #expect(timestamp.text(-1) == "1969-12-31T23:59:59.999Z")
    }
}
