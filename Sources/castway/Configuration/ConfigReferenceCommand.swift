import ArgumentParser
import GatewayApp

/// `castway config reference`
struct ConfigReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Prints what every key of gateway.yaml means, in Markdown.")

    func run() {
        let reference = GatewayConfiguration.referenceMarkdown()
        StandardOutput.write(reference.hasSuffix("\n") ? reference : reference + "\n")
    }
}
