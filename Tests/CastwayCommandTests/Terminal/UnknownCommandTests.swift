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
        (["che\u{1B}ck"], "unknown command 'che\u{FFFD}ck': did you mean 'check'?"),
    ])
    func isToldWithTheOneThatWasMeant(_ arguments: [String], _ message: String) async throws {
        #expect(UnknownCommand(in: arguments, of: Castway.self)?.message == message)
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
