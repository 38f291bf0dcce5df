/// A destination in use. An object, so that its queue is changed in place and not copied with all that waits.
final class DeliveryRoute {
    var queue: DeliveryQueue
    let carrier: any MessageCarrier

    init(queue: DeliveryQueue, carrier: any MessageCarrier) {
        self.queue = queue
        self.carrier = carrier
    }
}
