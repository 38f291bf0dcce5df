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
