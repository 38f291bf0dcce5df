/// What went wrong with a session or a request, by the numbers that the Cast SDKs use.
///
/// Numbers and meanings up to 103 are the SDKs' own. Of 104 to 108 only the range and its meaning (a session that is joined
/// or resumed is not the one expected) are known, so their order is Castway's.
public enum CastErrorCode: Int, Hashable, Sendable, CaseIterable {
    /// Nothing went wrong.
    case noError = 0
    /// The network failed.
    case networkError = 1
    /// No answer came in time.
    case timeout = 2
    /// The device could not prove that it is one.
    case deviceAuthenticationFailure = 3
    /// The request makes no sense, here or to the device.
    case invalidRequest = 4
    /// The caller cancelled the request.
    case cancelled = 5
    /// Another request of the same kind took its place.
    case replaced = 6
    /// The request is not allowed.
    case notAllowed = 7
    /// The same request is under way.
    case duplicateRequest = 8
    /// The request does not fit the state of things.
    case invalidState = 9
    /// More is waiting to be sent than may wait.
    case sendBufferFull = 10
    /// The message does not fit into a frame.
    case messageTooBig = 11
    /// The channel is not connected.
    case channelNotConnected = 12
    /// The user may not use the device.
    case deviceAuthorizationFailure = 13
    /// There is no connection to the device.
    case deviceNotConnected = 14
    /// The two ends speak different versions.
    case protocolVersionMismatch = 15
    /// The device has as many users as it takes.
    case maxUsersConnected = 16
    /// There is no network.
    case networkNotReachable = 17
    /// What came in breaks the protocol.
    case protocolError = 18
    /// It was set up already.
    case alreadyInitialized = 19
    /// The device does not know the app.
    case applicationNotFound = 20
    /// The app does not run.
    case applicationNotRunning = 21
    /// No session has this id.
    case invalidApplicationSessionID = 22
    /// TLS failed.
    case tlsError = 23
    /// The socket is connected already.
    case socketAlreadyConnected = 24
    /// The address makes no sense.
    case socketInvalidAddress = 25
    /// A parameter of the socket makes no sense.
    case socketInvalidParameter = 26
    /// The answer makes no sense.
    case invalidResponse = 27
    /// The session moved, but not all of its devices.
    case failedSessionUpdate = 28
    /// The session is not active.
    case sessionNotActive = 29
    /// The app cannot play the media.
    case mediaLoadFailed = 30
    /// The player cannot do this now.
    case invalidMediaPlayerState = 31
    /// Nothing is loaded.
    case noMediaSession = 32
    /// The session is no Cast session.
    case notCastSession = 33
    /// Playback failed.
    case mediaError = 34
    /// The device answered the authentication with an error.
    case authenticationErrorReceived = 40
    /// The device's certificate cannot be read.
    case malformedClientCertificate = 41
    /// What the device sent is no X.509 certificate.
    case notX509Certificate = 42
    /// The device's certificate was not signed by a trusted authority.
    case deviceCertificateNotTrusted = 43
    /// The device did not sign the certificate of its TLS.
    case sslCertificateNotTrusted = 44
    /// The device's authentication answer cannot be read.
    case malformedAuthenticationResponse = 45
    /// The certificate does not cover what the device says it can.
    case deviceCapabilityNotSupported = 46
    /// The device's list of revoked certificates is invalid.
    case crlInvalid = 47
    /// The device's certificate was revoked.
    case crlCheckFailed = 48
    /// Guest mode; Castway never gives it.
    case broadcastMessageEncryptionFailed = 50
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeInvalidResponse = 51
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeInvalidInput = 52
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeEmptyResponse = 53
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeRequestTimeout = 54
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeFailedToFindDevice = 55
    /// Guest mode; Castway never gives it.
    case broadcastKeyExchangeFailedToConnect = 56
    /// Guest mode; Castway never gives it.
    case broadcastMessageDropped = 57
    /// Guest mode; Castway never gives it.
    case broadcastSocketError = 58
    /// Guest mode; Castway never gives it.
    case broadcastFailedToGenerateEncryptionKey = 59
    /// Guest mode; Castway never gives it.
    case guestModeListenFailed = 60
    /// Remote display; Castway never gives it.
    case remoteDisplayError = 80
    /// Remote display; Castway never gives it.
    case remoteDisplayDeviceNotSupported = 81
    /// Remote display; Castway never gives it.
    case remoteDisplayFeatureNotSupported = 82
    /// Remote display; Castway never gives it.
    case remoteDisplayConfigurationRejected = 83
    /// Remote display; Castway never gives it.
    case remoteDisplayOpenGLError = 84
    /// Remote display; Castway never gives it.
    case remoteDisplayMetalError = 85
    /// Remote display; Castway never gives it.
    case remoteDisplayAudioConversionError = 86
    /// No sender uses the session for the time being.
    case appDidEnterBackground = 91
    /// The connection to the device was closed.
    case disconnected = 92
    /// The device or the app cannot do this.
    case unsupportedFeature = 93
    /// Something else went wrong.
    case unknown = 99
    /// The message of the device authentication cannot be read.
    case authenticationMessageUnreadable = 100
    /// The device sent a challenge, which is the sender's part.
    case authenticationChallengeReceived = 101
    /// The device did not answer the authentication in time.
    case authenticationTimeout = 102
    /// The launch of the app was cancelled.
    case launchCancelled = 103
    /// Another app runs than the one to be joined.
    case joinApplicationMismatch = 104
    /// Another session runs than the one to be joined.
    case joinSessionMismatch = 105
    /// Another app runs than the one to be resumed.
    case resumeApplicationMismatch = 106
    /// Another session runs than the one to be resumed.
    case resumeSessionMismatch = 107
    /// Another device answers than the one to be resumed.
    case resumeDeviceMismatch = 108
}
