import CastWire
import HTTPFetching
import NIOCore
import Testing

@testable import MediaCatalogues

@Suite struct CatalogueReaderTests {
    /// As the Cast sample apps have it.
    static let sample = """
        {"categories": [{
          "name": "Movies", "hls": "https://m.example/hls/", "dash": "https://m.example/dash/", "mp4": "https://m.example/mp4/",
          "images": "https://m.example/images/", "tracks": "https://m.example/tracks/",
          "videos": [
            {"title": "Big Buck Bunny", "subtitle": "A rabbit", "studio": "Blender Foundation", "duration": 596,
             "image-480x270": "480x270/bunny.jpg", "image-780x1200": "780x1200/bunny.jpg",
             "sources": [{"type": "hls", "mime": "application/x-mpegURL", "url": "bunny.m3u8"},
                         {"type": "mp4", "mime": "video/mp4", "url": "bunny.mp4"}],
             "tracks": [{"id": "1", "type": "text", "subtype": "captions", "contentId": "bunny-en.vtt", "name": "English",
                         "language": "en-US"}]},
            {"title": "Nothing", "sources": []},
            {"title": "Big Buck Bunny", "sources": ["https://other.example/b.mp4"]}
          ]}]}
        """

    private func read(
        _ text: String, from place: String? = "https://lists.example/a/films.json?x", atMost: Int = 10
    ) throws -> CatalogueList {
        try CatalogueReader.read(
            ByteBuffer(string: text), from: try place.map { try OutboundURL($0) }, maximumItems: atMost)
    }

    private func fault(_ text: String, atMost: Int = 10) throws -> CatalogueFault? {
        do {
            _ = try self.read(text, atMost: atMost)
            return nil
        } catch let fault as CatalogueFault {
            return fault
        }
    }

    @Test func theListOfTheSampleAppsIsRead() throws {
        let list = try self.read(Self.sample)
        #expect(list.items.map(\.id) == ["big-buck-bunny", "big-buck-bunny-2"])
        #expect(list.skipped == 1)
        let item = try #require(list.items.first)
        #expect(item.category == "Movies")
        #expect(item.sources.map(\.url) == ["https://m.example/hls/bunny.m3u8", "https://m.example/mp4/bunny.mp4"])
        let medium = try #require(item.medium(as: nil, order: ["video/mp4"]))
        #expect(medium.contentID == "https://m.example/mp4/bunny.mp4")
        #expect(medium.contentURL == "https://m.example/mp4/bunny.mp4")
        #expect(medium.contentType == "video/mp4")
        #expect(medium.streamType == .buffered)
        #expect(medium.duration == 596)
        let metadata = try #require(medium.metadata)
        #expect(metadata.metadataType == .movie)
        #expect(
            [metadata.title, metadata.subtitle, metadata.studio] == [
                "Big Buck Bunny", "A rabbit", "Blender Foundation",
            ])
        #expect(
            metadata.images.map(\.url) == [
                "https://m.example/images/480x270/bunny.jpg", "https://m.example/images/780x1200/bunny.jpg",
            ])
        #expect(metadata.images.map(\.width) == [480, 780])
        #expect(metadata.images.map(\.height) == [270, 1200])
        let track = try #require(medium.tracks?.first)
        #expect(track.trackID == 1)
        #expect([track.type?.rawValue, track.subtype?.rawValue] == ["TEXT", "CAPTIONS"])
        #expect(track.trackContentID == "https://m.example/tracks/bunny-en.vtt")
        #expect(track.trackContentType == .webVTT)
    }

    @Test func aByteOrderMarkIsPassedOver() throws {
        #expect(try self.read("\u{FEFF}" + Self.sample).items.count == self.read(Self.sample).items.count)
    }

    @Test func theSourceIsTheBestOfTheOrder() throws {
        let item = try #require(try self.read(Self.sample).items.first)
        #expect(item.medium(as: nil, order: ["application/x-mpegurl"])?.contentURL?.hasSuffix("m3u8") == true)
        #expect(item.medium(as: nil, order: ["application/dash+xml"])?.contentURL?.hasSuffix("m3u8") == true)
        #expect(item.medium(as: "VIDEO/MP4; codecs=x", order: [])?.contentURL?.hasSuffix("mp4") == true)
        #expect(item.medium(as: "application/vnd.apple.mpegurl", order: [])?.contentURL?.hasSuffix("m3u8") == true)
        #expect(item.medium(as: "audio/mpeg", order: []) == nil)
    }

    @Test func aPlainListOfMediaIsRead() throws {
        let list = try self.read(
            """
            [{"contentId": "a", "contentUrl": "https://m.example/a.mp4", "contentType": "video/mp4", "customData": {"k": 1},
              "metadata": {"metadataType": 0, "title": "A film!"}},
             {"media": {"contentId": "https://m.example/b.mp3", "contentType": "audio/mpeg"}}, {"metadata": {}}, 5]
            """)
        #expect(list.items.map(\.id) == ["a-film", "item"])
        #expect(list.skipped == 2)
        let medium = try #require(list.items.first?.medium(as: nil, order: []))
        #expect(medium.contentID == "a")
        #expect(medium.contentURL == "https://m.example/a.mp4")
        #expect(medium.json["customData"] == ["k": 1])
        #expect(list.items.last?.medium(as: nil, order: [])?.contentID == "https://m.example/b.mp3")
        let below = try self.read(#"{"items": []}"#)
        #expect(below.items.isEmpty)
    }

    @Test func whatHasNoFolderStandsBesideTheList() throws {
        let text = #"{"categories": [{"videos": [{"title": "x", "sources": [{"type": "mp4", "url": "x.mp4"}]}]}]}"#
        let source = try self.read(text).items.first?.sources.first
        #expect(source == CatalogueItem.Source(url: "https://lists.example/a/x.mp4", contentType: "video/mp4"))
        #expect(throws: CatalogueFault.self) { try self.read(text, from: nil) }
    }

    @Test(arguments: [
        ("nonsense", "malformed"), ("5", "malformed"), ("{}", "malformed"), ("[1]", "malformed"),
        (#"{"categories": [{"videos": [{"title": "x"}]}]}"#, "malformed"), ("[1,2,3,4,5,6,7,8,9,10,11]", "too_large"),
        (String(repeating: "[", count: 500), "malformed"),
    ])
    func whatIsNoListIsRefused(text: String, code: String) throws {
        let fault = try self.fault(text)
        #expect(fault?.code == code, "\(String(describing: fault))")
    }

    @Test func odderPartsAreLeftOut() throws {
        let list = try self.read(
            """
            {"categories": [{"images": "https://m.example/", "videos": [{"title": 5, "duration": -1, "image-0x5": "a", "image-ax5": "b",
              "thumb": "t.jpg", "sources": [7, {"url": ""}, {"url": "https://m.example/x"}],
              "tracks": [{"id": "x"}, {"id": 2}, {"id": 3, "contentId": "https://m.example/3.vtt"}, {"id": 3, "contentId": "https://m.example/4"}]}]},
             7]}
            """)
        let item = try #require(list.items.first)
        #expect(item.id == "item")
        #expect(item.sources == [CatalogueItem.Source(url: "https://m.example/x")])
        #expect(item.medium.duration == nil)
        #expect(item.medium.metadata?.images.map(\.url) == ["https://m.example/t.jpg"])
        #expect(item.medium.tracks?.map(\.trackID) == [3])
    }
}
