import CastWire

/// A queue for people: the item that plays has an arrow.
struct QueueBlock {
    /// The items in their order.
    let items: [QueueItem]
    /// The id of the one that plays.
    let current: Int?

    /// The lines to print.
    var lines: [String] {
        var rows = [["", "ITEM", "LENGTH", "TITLE"]]
        for item in self.items {
            let media = item.media
            rows.append([
                item.itemID == self.current ? ">" : "", item.itemID.map { "\($0)" } ?? "?",
                media?.duration.map(StatusBlock.clock) ?? "-",
                (media?.metadata?.title ?? media?.playableURL ?? "-").printable,
            ])
        }
        return TextTable(rows: rows).lines
    }
}
