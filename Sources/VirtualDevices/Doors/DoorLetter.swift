import CastWire
import GatewayCore

/// What somebody without a socket wants said.
struct DoorLetter: Sendable {
    let payload: CastMessage.Payload
    let namespace: Namespace
    let address: DoorAddress
    let origin: MessageOrigin
}
