import CastWire
import GatewayOperations
import Testing

/// Records of results declare each member once: the JSON, its description and its reader agree.
@Suite struct ResultRecordTests {
    private enum Color: String, CaseIterable {
        case red
        case darkGreen = "dark_green"
    }

    private struct Part: ResultRecord {
        typealias Source = String

        let name = Field("name", "Its name") { $0 }
        let length = Field.optional("length", "Its length; missing when it has none") { $0.isEmpty ? nil : $0.count }

        static let layout = ResultLayout(Part())
    }

    private struct Sample {
        var color: Color? = .darkGreen
        var level: Double? = 0.5
        var part: String? = "lid"
        let isOn = true
        let pieces = ["lid", ""]
        let tags = ["b", "a"]
        let extra: JSONObject = ["x": "y"]

        var limits: [Double] { [self.level ?? 0, .infinity, 2] }
    }

    private struct Thing: ResultRecord {
        typealias Source = Sample

        let color = Field("color", "Its color") { $0.color ?? .red }
        let isOn = Field("on", "Whether it is on") { $0.isOn }
        let shade = Field.optional("shade", "Its other color") { $0.color }
        let part = Embedded(Part.self) { $0.part }
        let level = Field("level", "How full it is") { $0.level ?? 0 }
        let least = Field.optional("least", "The least that it was") { $0.level }
        let first = Field("first", Part.self, "Its first part") { $0.pieces[0] }
        let last = Field.optional("last", Part.self, "Its last part") { $0.part }
        let pieces = Field("pieces", listOf: Part.self, "Its parts") { $0.pieces }
        let spares = Field.optional("spares", listOf: Part.self, "More parts") { $0.part.map { [$0] } }
        let tags = Field("tags", "Its tags", as: .list(.word(["a", "b"]))) { $0.tags }
        let limits = Field("limits", "Its limits") { $0.limits }
        let extra = Field("extra", "Texts by name", as: .map(.text)) { $0.extra }
        let custom = Field("custom", "Anything") { _ in JSONValue.null }
        // Neither is a member.
        let note = "note"
        let number = 3

        static let layout = ResultLayout(Thing())
    }

    /// Another record that takes over a member of ``Thing``.
    private struct Owner: ResultRecord {
        typealias Source = (name: String, sample: Sample)

        let name = Field("owner", "Who has it") { $0.name }
        let shade = Field(Thing.fields.shade) { $0.sample }

        static let layout = ResultLayout(Owner())
    }

    private let whole: JSONObject = [
        "color": "dark_green", "on": true, "shade": "dark_green", "name": "lid", "length": 3, "level": 0.5,
        "least": 0.5, "first": ["name": "lid", "length": 3], "last": ["name": "lid", "length": 3],
        "pieces": [["name": "lid", "length": 3], ["name": ""]], "spares": [["name": "lid", "length": 3]],
        "tags": ["b", "a"], "limits": [0.5, 2], "extra": ["x": "y"], "custom": .null,
    ]

    @Test func membersAreWrittenInTheOrderOfTheirDeclaration() {
        let json = Thing.json(Sample())
        #expect(json == self.whole)
        #expect(Thing.members.map(\.name) == json.members.map(\.name))
        #expect(Thing.result("A thing").faults(of: json).isEmpty)
    }

    @Test func membersWithoutAValueAreLeftOut() {
        let json = Thing.json(Sample(color: nil, level: nil, part: nil))
        for name in ["shade", "name", "length", "least", "last", "spares"] { #expect(json[name] == nil, "\(name)") }
        #expect(json["color"] == "red" && json["level"] == 0)
        #expect(Owner.json(("eve", Sample(color: nil))) == ["owner": "eve"])
    }

    @Test func theDescriptionSaysWhichMembersMayBeMissing() {
        let missing = Thing.members.filter(\.isOptional).map(\.name)
        #expect(missing == ["shade", "length", "least", "last", "spares"])
        let result = Thing.result("A thing", status: 201)
        #expect(result.status == 201 && result.summary == "A thing")
        #expect(result.members.map(\.meaning).prefix(3) == ["Its color", "Whether it is on", "Its other color"])
    }

    @Test func kindsFollowTheTypesOfTheValues() {
        let kinds = Thing.members.map { "\($0.name): \(Self.text($0.kind))" }
        let part = "{name text, length? integer}"
        #expect(
            kinds == [
                "color: red|dark_green", "on: boolean", "shade: red|dark_green", "name: text", "length: integer",
                "level: number", "least: number", "first: \(part)", "last: \(part)", "pieces: [\(part)]",
                "spares: [\(part)]", "tags: [a|b]", "limits: [number]", "extra: map of text", "custom: anything",
            ])
    }

    /// JSON has no infinite numbers: neither as a member nor in a list.
    @Test(arguments: [Double.infinity, -.infinity, .nan]) func infiniteNumbersAreLeftOut(number: Double) {
        let json = Thing.json(Sample(level: number))
        #expect(json["level"] == nil && json["least"] == nil)
        #expect(json["limits"] == [2])
    }

    @Test func aMemberOfAnotherRecordIsTakenOverWithItsMeaning() {
        #expect(Owner.members.map(\.name) == ["owner", "shade"])
        #expect(Owner.fields.shade.member.meaning == "Its other color" && Owner.fields.shade.member.isOptional)
        let json = Owner.json(("eve", Sample()))
        #expect(json == ["owner": "eve", "shade": "dark_green"])
        #expect(json[at: Owner.fields.shade] == .darkGreen)
    }

    @Test func answersAreReadByField() throws {
        let json = self.whole
        #expect(json[at: Thing.fields.color] == .darkGreen && json[at: Thing.fields.isOn] == true)
        #expect(json[at: Thing.fields.level] == 0.5 && json[at: Thing.fields.limits] == [0.5, 2])
        #expect(json[at: Thing.fields.tags] == ["b", "a"] && json[at: Thing.fields.extra] == ["x": "y"])
        #expect(json[at: Thing.fields.custom] == JSONValue.null)
        // Those of an embedded record are read by its fields.
        #expect(json[at: Part.fields.name] == "lid" && json[at: Part.fields.length] == 3)
        let pieces = try #require(json[at: Thing.fields.pieces])
        #expect(pieces.map { $0[at: Part.fields.name] } == ["lid", ""])
        #expect(pieces.map { $0[at: Part.fields.length] } == [3, nil])
        #expect(json[at: Thing.fields.first]?[at: Part.fields.name] == "lid")
    }

    @Test func whatIsMissingOrOfAnotherKindIsNotRead() {
        let json: JSONObject = [
            "color": "blue", "on": "true", "level": "1", "length": 1.5, "pieces": [1, ["name": "lid"]],
        ]
        #expect(json[at: Thing.fields.color] == nil && json[at: Thing.fields.isOn] == nil)
        #expect(json[at: Thing.fields.level] == nil && json[at: Part.fields.length] == nil)
        #expect(json[at: Thing.fields.tags] == nil)
        #expect(json[at: Thing.fields.pieces] == [["name": "lid"]])
    }

    private static func text(_ kind: OperationResult.Kind) -> String {
        switch kind {
        case .text: "text"
        case .word(let words): words.joined(separator: "|")
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .object(let members):
            "{\(members.map { "\($0.name)\($0.isOptional ? "?" : "") \(Self.text($0.kind))" }.joined(separator: ", "))}"
        case .map(let kind): "map of \(Self.text(kind))"
        case .list(let kind): "[\(Self.text(kind))]"
        case .anything: "anything"
        }
    }
}
