import CastClient
import CastWire
import GatewayCore
import NIOCore

/// Which apps the device has, as it says when it is asked (protocol notes, 5.3).
extension DeviceSession {
    /// Asks for these apps from now on, whenever the channel stands.
    func want(_ apps: [AppID]) {
        guard apps != self.wantedApps else { return }
        self.wantedApps = apps
        self.askForWantedApps()
    }

    /// A device that does not answer is not asked again before it is back the next time.
    func askForWantedApps() {
        guard self.isOnline, !self.wantedApps.isEmpty else { return }
        _ = self.availability(of: self.wantedApps)
    }

    /// Asks whether the device has some apps, and tells of it whoever wants to know.
    /// - Returns: what it says of each; nothing of those that it does not mention.
    func availability(of apps: [AppID]) -> EventLoopFuture<Result<[AppID: Bool], RequestError>> {
        let request = ReceiverRequest.getAppAvailability(of: apps, requestID: .spontaneous)
        return self.call(request.json, in: .receiver).assumeIsolated().map { outcome in
            do throws(RequestError) {
                let answer = AppAvailability(json: try outcome.get())
                var known: [AppID: Bool] = [:]
                for app in apps {
                    guard let isAvailable = answer.isAvailable(app) else { continue }
                    known[app] = isAvailable
                    self.learnedOf?(app, isAvailable)
                }
                return .success(known)
            } catch {
                return .failure(error)
            }
        }.nonisolated()
    }
}
