import GatewayConfig
import Testing

@testable import MediaCatalogues

@Suite struct CatalogueConfigurationTests {
    private func document(_ yaml: String) -> ConfigDocument {
        var document = ConfigDocument.load(
            path: "t", schema: CatalogueConfiguration.schema, fileSystem: .memory(["t": yaml]), environment: [:])
        CatalogueConfiguration.checkAll(document.root, problems: &document.problems)
        return document
    }

    @Test func twoLinesAreEnough() {
        let document = self.document("name: films\nurl: https://media.example.com/films.json")
        #expect(document.problems.all.isEmpty)
        let films = CatalogueConfiguration(reading: document.root)
        #expect(films.refresh == .seconds(3600) && films.timeout == .seconds(15))
        #expect(films.size == 2 << 20 && films.items == 1000)
        #expect(films.prefer.first == "video/mp4")
        #expect(!films.allowsPrivate && !films.allowsPlaintext)
        #expect(films.shownPlace == "https://media.example.com:443")
    }

    @Test func aFileIsEnoughToo() {
        let document = self.document("name: house\npath: house.json\nrefresh: 10s")
        #expect(document.problems.all.isEmpty)
        #expect(CatalogueConfiguration(reading: document.root).url == nil)
    }

    @Test(arguments: [
        ("", "exactly one of"), ("url: https://m.example/\npath: a", "exactly one of"),
        ("url: http://m.example/", "has no TLS"), ("url: ftp://m.example/", "another scheme"),
        ("url: https://10.0.0.1/", "allow_private"), ("url: https://169.254.169.254/\nallow_private: true", "metadata"),
        ("path: a\nallow_private: true", "has no effect"), ("path: a\nrefresh: 1s", "refresh"),
        ("path: a\nitems: 0", "items"), ("path: a\nsize: 1GiB", "size"),
    ])
    func whatCannotBeIsRefused(text: String, words: String) {
        let document = self.document("name: films\n\(text)")
        let messages = document.problems.all.map { "\($0)" }
        #expect(messages.contains { $0.contains(words) }, "\(messages)")
    }
}
