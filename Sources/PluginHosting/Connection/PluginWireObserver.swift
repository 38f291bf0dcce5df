import GatewayCore
import NIOCore
import PluginKit

/// Who hears what a plugin says beside its verdicts. Called on the connection's event loop.
protocol PluginWireObserver: AnyObject, Sendable {
    /// The plugin asks for something; the answer goes to ``PluginConnection/answer(_:_:)``.
    func asked(_ call: PluginCall, id: PluginRequestID, cause: MessageOrigin?)

    /// The plugin wants something done beside a verdict, which was granted.
    func effect(_ effect: Effect)

    /// The plugin has something for the log.
    func logged(_ record: PluginLogRecord)

    /// A line that is none of the protocol.
    func strayed(_ line: ByteBuffer, reason: String)

    /// Something that was not granted.
    func refused(_ what: String)

    /// The plugin feels otherwise.
    func healthChanged(_ health: PluginHealth)

    /// The plugin does what no plugin may, and has to be ended.
    func misbehaved(_ reason: String)

    /// The wire is cut.
    func closed(_ reason: String)
}
