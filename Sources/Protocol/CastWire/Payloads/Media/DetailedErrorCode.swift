/// What exactly went wrong with media (protocol notes, 6.10).
public struct DetailedErrorCode: RawRepresentable, Hashable, Sendable, FieldValue {
    /// The value as it stands on the wire.
    public let rawValue: Int

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `MEDIA_UNKNOWN`
    public static let mediaUnknown = DetailedErrorCode(rawValue: 100)
    /// `MEDIA_ABORTED`
    public static let mediaAborted = DetailedErrorCode(rawValue: 101)
    /// `MEDIA_DECODE`
    public static let mediaDecode = DetailedErrorCode(rawValue: 102)
    /// `MEDIA_NETWORK`
    public static let mediaNetwork = DetailedErrorCode(rawValue: 103)
    /// `MEDIA_SRC_NOT_SUPPORTED`
    public static let mediaSourceNotSupported = DetailedErrorCode(rawValue: 104)
    /// `SOURCE_BUFFER_FAILURE`
    public static let sourceBufferFailure = DetailedErrorCode(rawValue: 110)
    /// `MEDIA_KEYS_UNKNOWN`
    public static let mediaKeysUnknown = DetailedErrorCode(rawValue: 200)
    /// `MEDIA_KEYS_NETWORK`
    public static let mediaKeysNetwork = DetailedErrorCode(rawValue: 201)
    /// `MEDIA_KEYS_UNSUPPORTED`
    public static let mediaKeysUnsupported = DetailedErrorCode(rawValue: 202)
    /// `MEDIA_KEYS_WEB_CRYPTO`
    public static let mediaKeysWebCrypto = DetailedErrorCode(rawValue: 203)
    /// `NETWORK_UNKNOWN`
    public static let networkUnknown = DetailedErrorCode(rawValue: 300)
    /// `SEGMENT_NETWORK`
    public static let segmentNetwork = DetailedErrorCode(rawValue: 301)
    /// `HLS_NETWORK_MASTER_PLAYLIST`
    public static let hlsNetworkMasterPlaylist = DetailedErrorCode(rawValue: 311)
    /// `HLS_NETWORK_PLAYLIST`
    public static let hlsNetworkPlaylist = DetailedErrorCode(rawValue: 312)
    /// `HLS_NETWORK_NO_KEY_RESPONSE`
    public static let hlsNetworkNoKeyResponse = DetailedErrorCode(rawValue: 313)
    /// `HLS_NETWORK_KEY_LOAD`
    public static let hlsNetworkKeyLoad = DetailedErrorCode(rawValue: 314)
    /// `HLS_NETWORK_INVALID_SEGMENT`
    public static let hlsNetworkInvalidSegment = DetailedErrorCode(rawValue: 315)
    /// `HLS_SEGMENT_PARSING`
    public static let hlsSegmentParsing = DetailedErrorCode(rawValue: 316)
    /// `DASH_NETWORK`
    public static let dashNetwork = DetailedErrorCode(rawValue: 321)
    /// `DASH_NO_INIT`
    public static let dashNoInit = DetailedErrorCode(rawValue: 322)
    /// `SMOOTH_NETWORK`
    public static let smoothNetwork = DetailedErrorCode(rawValue: 331)
    /// `SMOOTH_NO_MEDIA_DATA`
    public static let smoothNoMediaData = DetailedErrorCode(rawValue: 332)
    /// `MANIFEST_UNKNOWN`
    public static let manifestUnknown = DetailedErrorCode(rawValue: 400)
    /// `HLS_MANIFEST_MASTER`
    public static let hlsManifestMaster = DetailedErrorCode(rawValue: 411)
    /// `HLS_MANIFEST_PLAYLIST`
    public static let hlsManifestPlaylist = DetailedErrorCode(rawValue: 412)
    /// `DASH_MANIFEST_UNKNOWN`
    public static let dashManifestUnknown = DetailedErrorCode(rawValue: 420)
    /// `DASH_MANIFEST_NO_PERIODS`
    public static let dashManifestNoPeriods = DetailedErrorCode(rawValue: 421)
    /// `DASH_MANIFEST_NO_MIMETYPE`
    public static let dashManifestNoMIMEType = DetailedErrorCode(rawValue: 422)
    /// `DASH_INVALID_SEGMENT_INFO`
    public static let dashInvalidSegmentInfo = DetailedErrorCode(rawValue: 423)
    /// `SMOOTH_MANIFEST`
    public static let smoothManifest = DetailedErrorCode(rawValue: 431)
    /// `SEGMENT_UNKNOWN`
    public static let segmentUnknown = DetailedErrorCode(rawValue: 500)
    /// `TEXT_UNKNOWN`
    public static let textUnknown = DetailedErrorCode(rawValue: 600)
    /// `APP`
    public static let app = DetailedErrorCode(rawValue: 900)
    /// `BREAK_CLIP_LOADING`
    public static let breakClipLoading = DetailedErrorCode(rawValue: 901)
    /// `BREAK_SEEK_INTERCEPTOR`
    public static let breakSeekInterceptor = DetailedErrorCode(rawValue: 902)
    /// `IMAGE`
    public static let image = DetailedErrorCode(rawValue: 903)
    /// `LOAD_INTERRUPTED`
    public static let loadInterrupted = DetailedErrorCode(rawValue: 904)
    /// `LOAD_FAILED`
    public static let loadFailed = DetailedErrorCode(rawValue: 905)
    /// `MEDIA_ERROR_MESSAGE`
    public static let mediaErrorMessage = DetailedErrorCode(rawValue: 906)
    /// `GENERIC`
    public static let generic = DetailedErrorCode(rawValue: 999)
}

extension DetailedErrorCode {
    /// The name that the protocol gives the code, such as `MEDIA_SRC_NOT_SUPPORTED`; nil for an unknown one.
    public var name: String? {
        switch self {
        case .mediaUnknown: "MEDIA_UNKNOWN"
        case .mediaAborted: "MEDIA_ABORTED"
        case .mediaDecode: "MEDIA_DECODE"
        case .mediaNetwork: "MEDIA_NETWORK"
        case .mediaSourceNotSupported: "MEDIA_SRC_NOT_SUPPORTED"
        case .sourceBufferFailure: "SOURCE_BUFFER_FAILURE"
        case .mediaKeysUnknown: "MEDIA_KEYS_UNKNOWN"
        case .mediaKeysNetwork: "MEDIA_KEYS_NETWORK"
        case .mediaKeysUnsupported: "MEDIA_KEYS_UNSUPPORTED"
        case .mediaKeysWebCrypto: "MEDIA_KEYS_WEB_CRYPTO"
        case .networkUnknown: "NETWORK_UNKNOWN"
        case .segmentNetwork: "SEGMENT_NETWORK"
        case .hlsNetworkMasterPlaylist: "HLS_NETWORK_MASTER_PLAYLIST"
        case .hlsNetworkPlaylist: "HLS_NETWORK_PLAYLIST"
        case .hlsNetworkNoKeyResponse: "HLS_NETWORK_NO_KEY_RESPONSE"
        case .hlsNetworkKeyLoad: "HLS_NETWORK_KEY_LOAD"
        case .hlsNetworkInvalidSegment: "HLS_NETWORK_INVALID_SEGMENT"
        case .hlsSegmentParsing: "HLS_SEGMENT_PARSING"
        case .dashNetwork: "DASH_NETWORK"
        case .dashNoInit: "DASH_NO_INIT"
        case .smoothNetwork: "SMOOTH_NETWORK"
        case .smoothNoMediaData: "SMOOTH_NO_MEDIA_DATA"
        case .manifestUnknown: "MANIFEST_UNKNOWN"
        case .hlsManifestMaster: "HLS_MANIFEST_MASTER"
        case .hlsManifestPlaylist: "HLS_MANIFEST_PLAYLIST"
        case .dashManifestUnknown: "DASH_MANIFEST_UNKNOWN"
        case .dashManifestNoPeriods: "DASH_MANIFEST_NO_PERIODS"
        case .dashManifestNoMIMEType: "DASH_MANIFEST_NO_MIMETYPE"
        case .dashInvalidSegmentInfo: "DASH_INVALID_SEGMENT_INFO"
        case .smoothManifest: "SMOOTH_MANIFEST"
        case .segmentUnknown: "SEGMENT_UNKNOWN"
        case .textUnknown: "TEXT_UNKNOWN"
        case .app: "APP"
        case .breakClipLoading: "BREAK_CLIP_LOADING"
        case .breakSeekInterceptor: "BREAK_SEEK_INTERCEPTOR"
        case .image: "IMAGE"
        case .loadInterrupted: "LOAD_INTERRUPTED"
        case .loadFailed: "LOAD_FAILED"
        case .mediaErrorMessage: "MEDIA_ERROR_MESSAGE"
        case .generic: "GENERIC"
        default: nil
        }
    }

    /// Name and number, `MEDIA_SRC_NOT_SUPPORTED (104)`, or `error 7` for an unknown one.
    public var text: String { self.name.map { "\($0) (\(self.rawValue))" } ?? "error \(self.rawValue)" }
}
