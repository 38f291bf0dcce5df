import CallerAccess
package import CastIdentity
import DeviceControl
import DeviceHosting
import DeviceSessions
import GuestAccess
import HandlerControl
import MessageBridges
import PluginHosting

extension StateBackup.Parts {
    /// All that a gateway keeps in its state directory.
    package static let gateway = StateBackup.Parts(
        schemas: [
            SessionStore.schema, DevicePinStore.schema, PluginDatabase.schema, TokenStore.schema,
            HandlerSwitchStore.schema, LaunchChoiceStore.schema, JoinStore.schema, DepartureStore.schema,
            DeviceAttributeStore.schema, ReceiverStore.schema,
        ], outbox: OutboxTables.schema)
}
