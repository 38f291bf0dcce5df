import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST text-style`
struct TextStyleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "text-style",
        abstract: "Changes how text is shown over the media.",
        usage: "castway cast <host>[:<port>] text-style [<options>]",
        discussion: """
            Colours are written #RRGGBBAA, or #RRGGBB. What is not given stays.

            Example:
              castway cast hall.lan text-style --scale 1.5 --color '#FFFF00' --edge outline
            """)

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("The size; 1 is normal.", valueName: "factor"))
    var scale: Double?

    @Option(help: ArgumentHelp("The colour of the letters.", valueName: "color"))
    var color: TextColor?

    @Option(help: ArgumentHelp("The colour behind the letters.", valueName: "color"))
    var background: TextColor?

    @Option(help: ArgumentHelp("none, outline, drop_shadow, raised or depressed.", valueName: "kind"))
    var edge: String?

    @Option(help: ArgumentHelp("The font.", valueName: "name"))
    var font: String?

    func validate() throws {
        if let scale, !(scale.isFinite && scale > 0) { throw ValidationError("The scale is more than 0.") }
        if self.style.json.isEmpty { throw ValidationError("Say what is to change, such as --scale 1.5.") }
    }

    func run() async throws {
        try await self.target.command(.setTextStyle(self.style))
    }

    private var style: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = self.scale
        style.foregroundColor = self.color?.value
        style.backgroundColor = self.background?.value
        style.edgeType = self.edge?.uppercased()
        style.fontFamily = self.font
        return style
    }
}
