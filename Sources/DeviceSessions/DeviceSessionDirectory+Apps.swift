public import CastClient
public import CastWire
import GatewayCore
import NIOCore

extension DeviceSessionDirectory {
    /// Asks a device on its channel whether it has some apps; discovery's criteria follow what it says.
    /// - Parameters:
    ///   - apps: which.
    ///   - device: the name of a device that has a channel.
    /// - Returns: what the device says of each; nothing of an app that it does not mention.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, `timeout` when it does not answer
    ///   within 10 s.
    public func availability(of apps: [AppID], on device: String) async throws(RequestError) -> [AppID: Bool] {
        let answer: Result<[AppID: Bool], RequestError>
        do {
            guard let entry = self.entry(device) else {
                throw RequestError(.deviceNotConnected, "there is no channel to a device named \(device)")
            }
            answer = try await entry.eventLoop.flatSubmit { entry.session.value.availability(of: apps) }.get()
        } catch let error as RequestError {
            throw error
        } catch {
            throw RequestError(.deviceNotConnected, "the gateway stops")
        }
        return try answer.get()
    }
}
