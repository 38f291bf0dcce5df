import CastWire
import Testing

@Suite struct PictureChoiceTests {
    private static func image(_ name: String?, _ width: Int? = nil, _ height: Int? = nil) -> MediaImage {
        var image = MediaImage()
        image.url = name
        image.width = width
        image.height = height
        return image
    }

    private static let sized = [
        image("small", 480, 270), image("tall", 780, 1200), image("wide", 1920, 1080), image("same", 480, 270),
    ]

    private func chosen(_ choice: PictureChoice, _ images: [MediaImage]) -> String? {
        choice.index(in: images).flatMap { images[$0].url }
    }

    @Test(arguments: PictureChoice.Use.allCases)
    func withoutASizeItIsTheFirstButForTheBackground(use: PictureChoice.Use) {
        let isLarge = use == .background || use == .expanded
        #expect(self.chosen(PictureChoice(for: use), Self.sized) == (isLarge ? "wide" : "small"))
        let bare = [Self.image("first"), Self.image("second"), Self.image("third")]
        #expect(self.chosen(PictureChoice(for: use), bare) == (isLarge ? "second" : "first"))
        #expect(self.chosen(PictureChoice(for: use), [Self.image("only")]) == "only")
        #expect(self.chosen(PictureChoice(for: use), []) == nil)
    }

    @Test(arguments: [
        (100, 100, "small"), (480, 270, "small"), (481, 270, "tall"), (780, 1200, "tall"), (1000, 500, "wide"),
        (4000, 4000, "wide"),
    ])
    func withASizeItIsTheSmallestThatCoversIt(width: Int, height: Int, expected: String) {
        #expect(self.chosen(PictureChoice(for: .miniController, width: width, height: height), Self.sized) == expected)
    }

    @Test func oneSideAloneMayBeWanted() {
        #expect(self.chosen(PictureChoice(width: 700), Self.sized) == "tall")
        #expect(self.chosen(PictureChoice(height: 1100), Self.sized) == "tall")
        #expect(self.chosen(PictureChoice(width: 0, height: -5), Self.sized) == "small")
    }

    @Test func whatHasNoAddressIsNeverChosen() {
        let images = [
            Self.image(nil, 100, 100), Self.image("", 100, 100), Self.image("third"), Self.image("fourth", 9, 9),
        ]
        #expect(self.chosen(PictureChoice(), images) == "third")
        #expect(self.chosen(PictureChoice(width: 50), images) == "fourth")
        #expect(self.chosen(PictureChoice(for: .background), images) == "fourth")
    }

    @Test func anySizeIsTaken() {
        let images = [Self.image("huge", Int.max, Int.max), Self.image("zero", 0, 0), Self.image("below", -1, 5)]
        #expect(self.chosen(PictureChoice(width: Int.max, height: 1), images) == "huge")
        #expect(self.chosen(PictureChoice(for: .expanded), images) == "zero")
    }
}
