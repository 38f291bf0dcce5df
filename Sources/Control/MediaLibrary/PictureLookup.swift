import CastClient
import CastWire
import ControlAPI
import FeatureContract
import GatewayConfig
import GatewayOperations
import MediaCatalogues
import MediaPictures
import Synchronization
import SystemPrimitives

/// Gives callers the bytes of pictures that devices and catalogues name.
final class PictureLookup: Sendable {
    /// The addresses of a list's pictures by their names, as long as the list is the same.
    private struct Index: Sendable {
        let items: [CatalogueItem]
        let addresses: [String: String]
    }

    /// How many pictures of one item can be asked for.
    private static let mostOfItem = 10

    private let catalogues: CatalogueMedia
    private let ofDevice: PicturesFeature.OfDevice
    private let pictures: Pictures
    private let indices = Mutex<[String: Index]>([:])

    init(catalogues: CatalogueMedia, pictures: Pictures, ofDevice: @escaping PicturesFeature.OfDevice) {
        self.catalogues = catalogues
        self.ofDevice = ofDevice
        self.pictures = pictures
    }

    /// A picture that a place names at the moment.
    /// - Parameter id: a ``PictureID``.
    /// - Throws: as `media.picture` and `catalogue.get`; `unknown_picture` (404), `picture_not_fetched` (502), `busy` (503).
    func picture(
        _ id: String, of place: PicturePlace, for caller: Caller
    ) async throws(OperationProblem) -> ServedPicture {
        let address: String?
        switch place {
        case .device(let text):
            try caller.require(scope: .read, for: "pictures of devices")
            guard text.utf8.count <= 200 else {
                throw .missing("unknown_device", "there is no device of a name with more than 200 bytes")
            }
            address = try await self.ofDevice(DeviceReference(text), caller).first {
                PictureID(of: $0)?.description == id
            }
        case .catalogue(let name):
            try caller.require(scope: GetCatalogue.scope, for: "pictures of catalogues")
            address = try self.addresses(ofCatalogue: name)[id]
        }
        guard let configuration = self.pictures.configuration else {
            throw .missing("unknown_picture", "the gateway gives no pictures: `pictures` is not in its configuration")
        }
        guard let address else {
            throw .missing("unknown_picture", "there is no such picture, or nothing names it any more")
        }
        switch await self.pictures.picture(at: address) {
        case .success(let picture):
            return ServedPicture(
                bytes: picture.bytes, contentType: picture.contentType, tag: picture.tag,
                age: Int(configuration.age.components.seconds))
        case .failure(let fault): throw Self.problem(fault, for: caller)
        }
    }

    private static func problem(_ fault: PictureFault, for caller: Caller) -> OperationProblem {
        switch fault.code {
        case .busy: return OperationProblem("busy", status: 503, "too many pictures are being fetched")
        case .ended: return OperationProblem("unavailable", status: 503, "the gateway stops, or is reloaded")
        default:
            // It names hosts and addresses of the gateway's network.
            let reason = caller.devices == nil ? fault.reason : fault.code.rawValue
            return OperationProblem(
                "picture_not_fetched", status: 502, "the picture cannot be had: \(reason)",
                members: ["cause": .string(fault.code.rawValue)])
        }
    }

    // MARK: What names pictures

    /// The addresses of an item's pictures that can be asked for.
    static func addresses(of item: CatalogueItem) -> some Sequence<String> {
        (item.medium.metadata?.images ?? []).lazy.compactMap(\.url).prefix(Self.mostOfItem)
    }

    private func addresses(ofCatalogue name: String) throws(OperationProblem) -> [String: String] {
        let items = try self.catalogues.list(name).list.items
        // Lists that were not read anew share their memory, which is seen at once.
        if let known = self.indices.withLock({ $0[name] }), known.items == items { return known.addresses }
        var addresses: [String: String] = [:]
        for item in items {
            for address in Self.addresses(of: item) {
                if let id = PictureID(of: address) { addresses[id.description] = address }
            }
        }
        self.indices.withLock { $0[name] = Index(items: items, addresses: addresses) }
        return addresses
    }
}
