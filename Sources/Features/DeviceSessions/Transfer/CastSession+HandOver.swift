import CastClient
package import CastWire
import GatewayCore

extension CastSession {
    /// Returns the session's playback for a player outside of Cast to go on with; it plays on meanwhile.
    /// - Returns: the state, and whether the app described it itself (STORE_SESSION); otherwise it is made of the last status and the
    ///   queue. Nil when there is nothing to go on with.
    package func storedState() async -> (state: SessionState, isOfApp: Bool)? {
        if self.media.snapshot.supports(.streamTransfer),
            let reply = try? await self.media.perform(.storeSession().with(timeout: .seconds(10))),
            let state = reply.object("sessionState").map({ SessionState(json: $0) }),
            let load = state.loadRequestData, load.media != nil || load.queueData != nil
        {
            return (state, true)
        }
        guard let state = await self.snapshot().state, state.loadRequestData != nil else { return nil }
        return (state, false)
    }
}
