import HTTPTypes
import Hummingbird
import NIOCore

extension ControlServer {
    /// The routes about plugins.
    static func addPlugins(_ actions: PluginActions, to router: Router<BasicRequestContext>) {
        router.get("/api/v1/plugins") { _, _ in await actions.list().response }
        router.get("/api/v1/plugins/:name") { _, context in
            await actions.inspect(try context.parameters.require("name")).response
        }
        for command in PluginActions.Command.allCases {
            router.post("/api/v1/plugins/:name/\(command.rawValue)") { _, context in
                await actions.command(try context.parameters.require("name"), command).response
            }
        }
        router.get("/api/v1/plugins/:name/trace") { _, context in
            let name = try context.parameters.require("name")
            guard let lines = actions.trace(name) else {
                return ControlAnswer.error(
                    status: 404, code: "unknown_plugin", message: "no plugin named '\(name)' runs"
                ).response
            }
            return Response(
                status: .ok, headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody { writer in
                    for await line in lines { try await writer.write(ByteBuffer(string: line)) }
                    try await writer.finish(nil)
                })
        }
    }
}
