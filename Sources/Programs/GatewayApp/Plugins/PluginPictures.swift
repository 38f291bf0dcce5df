import CastWire
import GatewayOperations
import MediaPictures
import PluginHosting

/// Asks plugins for pictures, by the call `picture.get`.
struct PluginPictures: PictureProviders {
    /// The plugins that run.
    let fleet: PluginFleet

    func picture(
        at address: String, of plugin: String, within time: Duration
    ) async throws(PictureFault) -> ProvidedPicture {
        guard let service = self.fleet[plugin] else { throw PictureFault(.plugin, "the plugin '\(plugin)' is gone") }
        let answer: JSONObject
        do throws(OperationProblem) {
            answer = try await service.provide("picture.get", ["url": .string(address)], within: time)
        } catch {
            throw PictureFault(error.code == "timeout" ? .timeout : .plugin, error.detail)
        }
        switch (answer.string("data"), answer.string("url")) {
        case (let data?, nil):
            guard let bytes = Base64.bytes(data.utf8) else {
                throw PictureFault(.plugin, "the plugin '\(plugin)' gives 'data' that is no base64")
            }
            return .bytes(bytes)
        case (nil, let address?): return .address(address)
        default: throw PictureFault(.plugin, "the plugin '\(plugin)' gives neither 'data' nor 'url', or both")
        }
    }
}
