import GatewayOperations

/// Why a code was not taken, as a guest is told.
enum JoinRefusal: Sendable, Hashable {
    /// What was sent is no code.
    case malformed
    /// The code is unknown, over, used or revoked.
    case wrong
    /// The address has shown too many wrong codes, and has to wait for so many seconds.
    case tooOften(seconds: Int)
    /// The code lets an IPv4 address connect, and the page was opened by another one.
    case needsIPv4
    /// No code can be taken now.
    case unavailable
}

/// The texts of the join page in one language.
struct JoinPageTexts {
    let enterCode: String
    let eightDigits: String
    let code: String
    let join: String
    let useNetwork: String
    let welcome: String
    let yourToken: String
    let failed: String
    let choose: String
    let token: String
    /// With `{time}` for when the guest's time is over.
    let until: String
    /// A day and a time, with `{y}`, `{m}`, `{d}` and `{t}`.
    private let moment: String
    private let malformed: String
    private let wrong: String
    /// With `{seconds}`.
    private let tooOften: String
    private let needsIPv4: String
    private let unavailable: String

    /// Why a code was not taken, as sentences.
    func reason(_ refusal: JoinRefusal) -> String {
        switch refusal {
        case .malformed: self.malformed
        case .wrong: self.wrong
        case .tooOften(let seconds): self.tooOften.replacing("{seconds}", with: "\(seconds)")
        case .needsIPv4: self.needsIPv4
        case .unavailable: self.unavailable
        }
    }

    /// When a guest's time is over, by the clocks of the gateway's time zone, which is named: `2027-01-04 13:03 (Europe/Berlin)`.
    func time(_ welcome: GuestWelcome) -> String {
        let local = "\(UTCTime(seconds: welcome.end.seconds + Int64(welcome.zone.offset)))"
        let day = local.prefix { $0 != "T" }.split(separator: "-")
        guard day.count == 3 else { return "\(welcome.end)" }
        return self.moment.replacing("{y}", with: day[0]).replacing("{m}", with: day[1]).replacing("{d}", with: day[2])
            .replacing("{t}", with: local.dropFirst(11).prefix(5))
            + " (\(welcome.zone.name.replacing("_", with: " ")))"
    }
}

extension JoinPageTexts {
    /// The texts of a language.
    init(_ language: ErrorLanguage) {
        self =
            switch language {
            case .english: .english
            case .german: .german
            case .french: .french
            case .spanish: .spanish
            }
    }

    private static let english = JoinPageTexts(
        enterCode: "Enter your code", eightDigits: "It has eight digits.", code: "Code", join: "Join",
        useNetwork: "Join with this device. Use the network in which the screen is.", welcome: "You can cast now",
        yourToken: "Your token", failed: "That did not work",
        choose: "Open an app that casts, on this device, tap its Cast button, and choose",
        token: "Your token for the API, shown this once:", until: "Until {time}, or until you are checked out.",
        moment: "{y}-{m}-{d} {t}", malformed: "A code has eight digits.",
        wrong: "The code is not right, or is not good any more. Ask for another one.",
        tooOften: "Too many wrong codes. Try again in {seconds} seconds.",
        needsIPv4:
            "The right to cast goes with an IPv4 address, since phones change the others. Open the page by its IPv4 address.",
        unavailable: "The gateway cannot take a code now. Ask the people who run it.")

    private static let german = JoinPageTexts(
        enterCode: "Code eingeben", eightDigits: "Er hat acht Ziffern.", code: "Code", join: "Verbinden",
        useNetwork: "Verbinden Sie dieses Gerät. Nutzen Sie das Netzwerk, in dem der Bildschirm ist.",
        welcome: "Sie können jetzt streamen", yourToken: "Ihr Token", failed: "Das hat nicht geklappt",
        choose:
            "Öffnen Sie auf diesem Gerät eine App, die streamen kann, tippen Sie auf das Cast-Symbol und wählen Sie",
        token: "Ihr Token für die API, nur dieses eine Mal gezeigt:", until: "Bis {time} oder bis zum Check-out.",
        moment: "{d}.{m}.{y}, {t} Uhr", malformed: "Ein Code hat acht Ziffern.",
        wrong: "Der Code stimmt nicht oder gilt nicht mehr. Bitten Sie um einen neuen.",
        tooOften: "Zu viele falsche Codes. Versuchen Sie es in {seconds} Sekunden noch einmal.",
        needsIPv4:
            "Der Zugang gilt für eine IPv4-Adresse, weil Handys ihre anderen Adressen wechseln. Öffnen Sie die Seite über ihre IPv4-Adresse.",
        unavailable: "Gerade kann kein Code angenommen werden. Bitte wenden Sie sich an das Personal.")

    private static let french = JoinPageTexts(
        enterCode: "Saisissez votre code", eightDigits: "Il comporte huit chiffres.", code: "Code", join: "Rejoindre",
        useNetwork: "Connectez cet appareil. Utilisez le réseau où se trouve l’écran.",
        welcome: "Vous pouvez caster maintenant", yourToken: "Votre jeton", failed: "Cela n’a pas fonctionné",
        choose: "Sur cet appareil, ouvrez une application compatible Cast, touchez son icône Cast et choisissez",
        token: "Votre jeton pour l’API, affiché cette seule fois :",
        until: "Jusqu’au {time} ou jusqu’à votre départ.", moment: "{d}/{m}/{y} à {t}",
        malformed: "Un code comporte huit chiffres.",
        wrong: "Le code est incorrect ou n’est plus valable. Demandez-en un autre.",
        tooOften: "Trop de codes incorrects. Réessayez dans {seconds} secondes.",
        needsIPv4:
            "L’accès est lié à une adresse IPv4, car les téléphones changent les autres. Ouvrez la page par son adresse IPv4.",
        unavailable: "Aucun code ne peut être accepté pour le moment. Adressez-vous au personnel.")

    private static let spanish = JoinPageTexts(
        enterCode: "Introduzca su código", eightDigits: "Tiene ocho dígitos.", code: "Código", join: "Unirse",
        useNetwork: "Conecte este dispositivo. Use la red en la que está la pantalla.",
        welcome: "Ya puede enviar contenido", yourToken: "Su token", failed: "No ha funcionado",
        choose: "Abra en este dispositivo una aplicación compatible con Cast, toque su icono de Cast y elija",
        token: "Su token para la API, que solo se muestra esta vez:", until: "Hasta el {time} o hasta su salida.",
        moment: "{d}/{m}/{y} a las {t}", malformed: "Un código tiene ocho dígitos.",
        wrong: "El código no es correcto o ya no es válido. Pida otro.",
        tooOften: "Demasiados códigos incorrectos. Inténtelo de nuevo en {seconds} segundos.",
        needsIPv4:
            "El acceso va unido a una dirección IPv4, ya que los teléfonos cambian las demás. Abra la página por su dirección IPv4.",
        unavailable: "Ahora no se puede aceptar ningún código. Pregunte al personal.")
}
