import ArgumentParser
import CastWire
import GatewayOperations
import MediaLibrary

struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "catalogue", "Lists the catalogues of the running gateway, shows their items, and has them read again.",
        examples: [
            "castway catalogue list", "castway catalogue show films", "castway catalogue refresh films",
            "castway call media.load device=lobby catalogue=films item=big-buck-bunny",
        ],
        subcommands: [CatalogueList.asCommand, CatalogueShow.asCommand, CatalogueRefresh.asCommand])

    fileprivate static let catalogueHelp = ArgumentHelp(
        "The catalogue, as 'castway catalogue list' has it.", valueName: "catalogue")
}

struct CatalogueList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the catalogues, with how each stands.",
        examples: [
            "castway catalogue list",
            #"castway catalogue list --json | jq -r '.catalogues[] | select(.state == "failed") | .reason'"#,
        ])
    static let operation: OperationName = "catalogue.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = CatalogueResult.fields
        return TextTable.lines(
            answer[at: CatalogueListResult.fields.catalogues],
            else: "There are no catalogues; 'catalogues' in gateway.yaml says which there are.",
            AnswerColumn("CATALOGUE", fields.catalogue), AnswerColumn("STATE", fields.state),
            AnswerColumn("ITEMS", count: fields.items), AnswerColumn("REASON", fields.reason))
    }
}

struct CatalogueShow: OperationCall {
    static let configuration = CommandConfiguration(
        "show", "Shows items of a catalogue, 50 at a time.",
        examples: [
            "castway catalogue show films", "castway catalogue show films --search bunny",
            "castway catalogue show films --offset 50",
        ])
    static let operation: OperationName = "catalogue.get"

    @Argument(help: CatalogueCommand.catalogueHelp) var catalogue: String
    @Option(help: .init("Only items with this text in the title.", valueName: "text")) var search: String?
    @Option(help: .init("How many items are left out at the beginning.", valueName: "count")) var offset = 0

    var input: CallInput { ["catalogue": self.catalogue, "offset": self.offset, "search": self.search] }

    func lines(_ answer: JSONObject) -> [String] {
        let (items, fields) = (answer[at: CataloguePageResult.fields.page] ?? [], CatalogueItemResult.fields)
        let table = TextTable.lines(
            items, else: "There are no such items.", AnswerColumn("ITEM", fields.item),
            AnswerColumn("TITLE", fields.title), AnswerColumn("CATEGORY", fields.category),
            AnswerColumn("TYPE") { $0[at: fields.media]?.string("contentType") ?? "" })
        let (total, end) = (answer[at: CataloguePageResult.fields.total] ?? 0, self.offset + items.count)
        return items.isEmpty || end >= total ? table : table + ["\(total - end) more: --offset \(end)"]
    }
}

struct CatalogueRefresh: OperationCall {
    static let configuration = CommandConfiguration(
        "refresh", "Reads a catalogue now, and tells how it stands then.",
        examples: ["castway catalogue refresh films"])
    static let operation: OperationName = "catalogue.refresh"

    @Argument(help: CatalogueCommand.catalogueHelp) var catalogue: String

    var input: CallInput { ["catalogue": self.catalogue] }

    func lines(_ answer: JSONObject) -> [String] {
        let items = answer[at: CatalogueResult.fields.items] ?? 0
        guard let reason = answer[at: CatalogueResult.fields.reason] else {
            return ["'\(self.catalogue)' has \(items) items."]
        }
        return ["'\(self.catalogue)' cannot be read: \(reason.printable)", "\(items) items stay in use."]
    }
}
