import ArgumentParser
import CastWire
import GatewayOperations

/// `castway catalogue`
struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Lists the catalogues of the running gateway, shows their items, and has them read again.",
        discussion: """
            Examples:
              castway catalogue list
              castway catalogue show films
              castway catalogue refresh films
              castway call media.load device=lobby catalogue=films item=big-buck-bunny
            """,
        subcommands: [CatalogueListCommand.self, CatalogueShowCommand.self, CatalogueRefreshCommand.self])
}

/// `castway catalogue list`
struct CatalogueListCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the catalogues, with how each stands.",
        discussion: """
            Examples:
              castway catalogue list
              castway catalogue list --json | jq -r '.catalogues[] | select(.state == "failed") | .reason'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) { ("catalogue.list", [:]) }

    func lines(_ answer: JSONObject) -> [String] {
        let catalogues = answer.array("catalogues")?.compactMap(\.objectValue) ?? []
        guard !catalogues.isEmpty else {
            return ["There are no catalogues; 'catalogues' in gateway.yaml says which there are."]
        }
        let heading = ["CATALOGUE", "STATE", "ITEMS", "REASON"]
        let rows = catalogues.map { catalogue in
            [
                catalogue.string("catalogue") ?? "", catalogue.string("state") ?? "",
                "\(catalogue.int("items") ?? 0)", catalogue.string("reason") ?? "",
            ]
        }
        return TextTable(rows: [heading] + rows.map { $0.map(\.printable) }).lines
    }
}

/// `castway catalogue show`
struct CatalogueShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows items of a catalogue, 50 at a time.",
        discussion: """
            Examples:
              castway catalogue show films
              castway catalogue show films --search bunny
              castway catalogue show films --offset 50
            """)

    @Argument(help: ArgumentHelp("The catalogue, as 'castway catalogue list' has it.", valueName: "catalogue"))
    var catalogue: String

    @Option(help: ArgumentHelp("Only items with this text in the title.", valueName: "text"))
    var search: String?

    @Option(help: ArgumentHelp("How many items are left out at the beginning.", valueName: "count"))
    var offset = 0

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) {
        var input: JSONObject = ["catalogue": .string(self.catalogue), "offset": .number(self.offset)]
        input["search"] = self.search.map { .string($0) }
        return ("catalogue.get", input)
    }

    func lines(_ answer: JSONObject) -> [String] {
        let items = answer.array("page")?.compactMap(\.objectValue) ?? []
        guard !items.isEmpty else { return ["There are no such items."] }
        let rows = items.map { item in
            [
                item.string("item") ?? "", item.string("title") ?? "", item.string("category") ?? "",
                item.object("media")?.string("contentType") ?? "",
            ]
        }
        let table = TextTable(rows: [["ITEM", "TITLE", "CATEGORY", "TYPE"]] + rows.map { $0.map(\.printable) }).lines
        let (total, end) = (answer.int("total") ?? 0, self.offset + items.count)
        return end < total ? table + ["\(total - end) more: --offset \(end)"] : table
    }
}

/// `castway catalogue refresh`
struct CatalogueRefreshCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Reads a catalogue now, and tells how it stands then.",
        discussion: """
            Example:
              castway catalogue refresh films
            """)

    @Argument(help: ArgumentHelp("The catalogue, as 'castway catalogue list' has it.", valueName: "catalogue"))
    var catalogue: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    var call: (name: OperationName, input: JSONObject) {
        ("catalogue.refresh", ["catalogue": .string(self.catalogue)])
    }

    func lines(_ answer: JSONObject) -> [String] {
        let items = answer.int("items") ?? 0
        guard let reason = answer.string("reason") else { return ["'\(self.catalogue)' has \(items) items."] }
        return ["'\(self.catalogue)' cannot be read: \(reason.printable)", "\(items) items stay in use."]
    }
}
