import ArgumentParser
import GatewayApp

/// `castway config schema`
struct ConfigSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of gateway.yaml, for editors.",
        discussion: """
            Write it beside the configuration and name it in the first line of gateway.yaml, as editors with a YAML \
            language server read it:

              castway config schema > gateway.schema.json
              # yaml-language-server: $schema=gateway.schema.json
            """)

    func run() {
        let schema = GatewayConfiguration.jsonSchema()
        StandardOutput.write(schema.hasSuffix("\n") ? schema : schema + "\n")
    }
}
