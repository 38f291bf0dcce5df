import Testing

@testable import castway

/// A command that is written wrong: which one was meant.
@Suite(.timeLimit(.minutes(1))) struct UnknownCommandTests {
    @Test(arguments: [
        (["chek"], "unknown command 'chek': did you mean 'check'?"),
        (["chek", "--nonsense"], "unknown command 'chek': did you mean 'check'?"),
        (["relaod"], "unknown command 'relaod': did you mean 'reload'?"),
        (["fly"], "unknown command 'fly'; 'castway --help' lists them all"),
        (["explain"], "unknown command 'explain': did you mean 'config explain'?"),
        (["config", "pirnt"], "unknown command 'pirnt': did you mean 'print'?"),
        (["config", "fly"], "unknown command 'fly'; 'castway config --help' lists them all"),
        (["help", "cod"], "unknown command 'cod': did you mean 'code'?"),
        (["help", "code", "creat"], "unknown command 'creat': did you mean 'create'?"),
        (["code", "help", "creat"], "unknown command 'creat': did you mean 'create'?"),
        (["cast", "help", "laod"], "unknown command 'laod': did you mean 'load'?"),
        (["help", "cast", "laod"], "unknown command 'laod': did you mean 'load'?"),
        (["che\u{1B}ck"], "unknown command 'che\u{FFFD}ck': did you mean 'check'?"),
    ])
    func isToldWithTheOneThatWasMeant(_ arguments: [String], _ message: String) async throws {
        let unknown =
            UnknownCommand(inHelp: arguments, of: Castway.self) ?? UnknownCommand(in: arguments, of: Castway.self)
        #expect(unknown?.message == message)
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64)
        #expect(result.errors == "castway: \(message)\n")
        #expect(result.output == "")
    }

    @Test(arguments: [
        [], ["check"], ["check", "fly"], ["config", "print", "fly"], ["help", "fly"], ["cast", "127.0.0.1", "fly"],
        ["--fly"],
    ])
    func otherWordsAreNoCommands(_ arguments: [String]) {
        #expect(UnknownCommand(in: arguments, of: Castway.self) == nil)
    }

    @Test(arguments: [
        [], ["help"], ["help", "code"], ["help", "cast", "load"], ["cast", "help", "load"], ["fly"], ["check", "help"],
        ["cast", "help"], ["call", "--", "help", "fly"],
    ])
    func helpIsGivenForWhatThereIs(_ arguments: [String]) {
        #expect(UnknownCommand(inHelp: arguments, of: Castway.self) == nil)
    }

    /// Errors of the parser begin as all others do, and name the usage.
    @Test(arguments: [
        (["check", "--fly"], "castway: unknown option '--fly'"),
        (["cast", "127.0.0.1", "laod", "http://x/y.mp4"], "castway: there is no command 'laod': did you mean 'load'?"),
        (["code", "create"], "castway: missing expected argument '<devices> ...'"),
        (
            ["cast", "127.0.0.1", "seek", "1", "2"],
            "castway: one position is needed, such as 90, 1:30, +30, -10 or live"
        ),
        (["cast", "127.0.0.1", "rate", "-1"], "castway: a rate is greater than 0, not -1.0"),
        (["cast", "127.0.0.1", "jump", "-1", "--at", "-5"], "castway: the value '-5' is invalid for '--at <time>'"),
        (["--language", "xx", "check"], "castway: --language takes one of en, de, fr, es"),
    ])
    func errorsBeginInOneWay(_ arguments: [String], _ begin: String) async throws {
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64 && result.output == "")
        #expect(result.errorLines.first.map(String.init) == begin, "\(result.errors)")
    }

    @Test(arguments: [
        (["check", "--formt", "json"], "--format"), (["run", "--confg", "a.yaml"], "--config"),
        (["cast", "127.0.0.1", "plya"], "'play'"),
    ])
    func optionsAndCommandsOfCastAreSuggestedToo(_ arguments: [String], _ meant: String) async throws {
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64)
        #expect(
            result.errors.lowercased().contains("did you mean") && result.errors.contains(meant), "\(result.errors)")
    }
}
