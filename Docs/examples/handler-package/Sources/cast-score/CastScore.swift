import CastClient
import CastWire

/// Launches an app on a Cast device, or joins it, and asks it one thing: `cast-score HOST PORT`.
@main struct CastScore {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[2]) else {
            print("usage: cast-score HOST PORT")
            return
        }
        let device = try await RemoteDevice.connect(host: arguments[1], port: port)
        let app = try await device.run("ABCD1234")
        let answer = try await device.exchange(
            .text(#"{"type":"SCORE","team":"red","points":2}"#), in: "urn:x-cast:com.example.echo", to: app.transportID)
        print("\(app.application.displayName ?? "the app") answers \(answer.payload.text ?? "with bytes")")
        await device.close()
    }
}
