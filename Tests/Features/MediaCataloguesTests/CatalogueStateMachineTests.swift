import CastWire
import GatewayCore
import Testing

@testable import MediaCatalogues

@Suite struct CatalogueStateMachineTests {
    private static let films = CatalogueConfiguration(name: "films") {
        $0.url = "https://lists.example/films.json?token=S3CRET"
        $0.refresh = .seconds(60)
    }

    private static let list = CatalogueList(
        items: [CatalogueItem(id: "a", medium: .init(), sources: [.init(url: "https://m.example/a.mp4")])])

    private func job(_ actions: [CatalogueStateMachine.Action]) throws -> CatalogueStateMachine.Job {
        let jobs = actions.compactMap { action in
            if case .read(let job) = action { job } else { nil }
        }
        #expect(jobs.count == 1)
        return try #require(jobs.first)
    }

    private func pauses(_ actions: [CatalogueStateMachine.Action]) -> [Duration] {
        actions.compactMap { action in
            if case .wait(_, _, let pause) = action { pause } else { nil }
        }
    }

    private func events(_ actions: [CatalogueStateMachine.Action]) -> [String] {
        actions.compactMap { action in
            if case .publish(let event) = action { event.name } else { nil }
        }
    }

    @Test func aListIsReadAtOnceAndAfterItsInterval() throws {
        var book = CatalogueStateMachine()
        let job = try self.job(book.follow([Self.films]))
        #expect(book.standing("films")?.state == .waiting)
        #expect(book.standing("films")?.place == "https://lists.example:443")
        let validators = CatalogueStateMachine.Validators(entityTag: "\"1\"")
        let read = book.ended(job, .list(Self.list, validators), now: 100)
        #expect(self.pauses(read) == [.seconds(60)])
        #expect(self.events(read) == ["catalogue.read"])
        #expect(book.standing("films")?.readAt == 100)
        let again = try self.job(book.due("films", generation: job.generation))
        #expect(again.validators == validators)
        // The same list is no news.
        let same = book.ended(again, .unchanged, now: 200)
        #expect(self.events(same).isEmpty)
        #expect(book.standing("films")?.readAt == 200)
    }

    @Test func theLastGoodListStaysAfterAFailure() throws {
        var book = CatalogueStateMachine()
        var job = try self.job(book.follow([Self.films]))
        _ = book.ended(job, .list(Self.list, .init()), now: 1)
        var pauses: [Duration] = []
        for moment in 2...6 {
            job = try self.job(book.refresh("films"))
            let actions = book.ended(
                job, .failed(CatalogueFault("http_status", "it answered 500", status: 500)), now: Int64(moment))
            #expect(self.events(actions) == ["catalogue.failed"])
            pauses += self.pauses(actions)
        }
        #expect(pauses == [.seconds(10), .seconds(20), .seconds(40), .seconds(60), .seconds(60)])
        let standing = try #require(book.standing("films"))
        #expect(standing.state == .failed)
        #expect(standing.list == Self.list)
        #expect(standing.readAt == 1)
        #expect(standing.triedAt == 6)
        #expect(standing.fault?.status == 500)
        // That it can be read again is told, though the list is the same.
        job = try self.job(book.refresh("films"))
        let back = book.ended(job, .unchanged, now: 7)
        #expect(self.events(back) == ["catalogue.read"])
        #expect(self.pauses(back) == [.seconds(60)])
        #expect(book.standing("films")?.fault == nil)
    }

    @Test func nothingIsReadTwiceAtOnce() throws {
        var book = CatalogueStateMachine()
        let job = try self.job(book.follow([Self.films]))
        let (again, due, same) = (
            book.refresh("films"), book.due("films", generation: job.generation), book.follow([Self.films])
        )
        #expect(again.isEmpty && due.isEmpty && same.isEmpty)
        let unknown = book.refresh("music")
        #expect(unknown.isEmpty)
    }

    @Test func anotherConfigurationIsReadAnew() throws {
        var book = CatalogueStateMachine()
        let first = try self.job(book.follow([Self.films]))
        _ = book.ended(first, .list(Self.list, .init(entityTag: "x")), now: 1)
        var often = Self.films
        often.refresh = .seconds(20)
        let second = try self.job(book.follow([often]))
        #expect(book.standing("films")?.list == Self.list)
        #expect(second.validators.entityTag == "x")
        // The first configuration's times mean nothing any more.
        let late = book.due("films", generation: first.generation)
        #expect(late.isEmpty)
        var elsewhere = often
        elsewhere.url = "https://lists.example/other.json"
        let third = try self.job(book.follow([elsewhere]))
        #expect(book.standing("films")?.list == nil)
        #expect(third.validators == .init())
        let stale = book.ended(second, .list(Self.list, .init()), now: 2)
        #expect(stale.isEmpty)
        #expect(book.standing("films")?.list == nil)
        let gone = book.follow([])
        #expect(gone == [.forget(name: "films")])
        #expect(book.standings.isEmpty)
    }
}
