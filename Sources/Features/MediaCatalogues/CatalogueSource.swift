import GatewayConfig
import HTTPFetching
import NIOCore
import NIOHTTP1
import NIOPosix

/// Reads one list from where it is.
struct CatalogueSource: Sendable {
    /// The longest validator that is sent back.
    private static let longestValidator = 1024

    /// The version of the gateway, for `user-agent`.
    let version: String
    let group: any EventLoopGroup
    let resolver: HostResolver
    let fileSystem: ConfigFileSystem

    func read(_ job: CatalogueStateMachine.Job) async -> CatalogueStateMachine.Outcome {
        do throws(CatalogueFault) {
            if let url = job.configuration.url { return try await self.fetch(url, job) }
            return try await self.readFile(job)
        } catch {
            return .failed(error)
        }
    }

    private func fetch(_ text: String, _ job: CatalogueStateMachine.Job) async throws(CatalogueFault)
        -> CatalogueStateMachine.Outcome
    {
        let configuration = job.configuration
        let fetcher = HTTPFetcher(
            rule: OutboundAddressRule(allowsPrivate: configuration.allowsPrivate),
            allowsPlaintext: configuration.allowsPlaintext, version: self.version, group: self.group,
            resolver: self.resolver, owner: "catalogue \(configuration.name)")
        var headers: HTTPHeaders = ["accept": "application/json"]
        if let tag = job.validators.entityTag { headers.add(name: "if-none-match", value: tag) }
        if let time = job.validators.lastModified { headers.add(name: "if-modified-since", value: time) }
        let url: OutboundURL
        do throws(OutboundURL.Malformed) {
            url = try OutboundURL(text)
        } catch {
            throw .malformed("the URL \(error)")
        }
        let answer: HTTPFetcher.Answer
        do throws(HTTPFetchFailure) {
            answer = try await fetcher.get(
                url, headers: headers,
                within: HTTPFetcher.Limits(bytes: configuration.size, time: TimeAmount(configuration.timeout)))
        } catch {
            throw CatalogueFault(error)
        }
        if answer.status == 304, job.validators != CatalogueStateMachine.Validators() { return .unchanged }
        guard answer.status == 200 else {
            throw CatalogueFault(
                HTTPFetchFailure(.status, "\(url.shown) answered \(answer.status)", status: answer.status))
        }
        let list = try CatalogueReader.read(answer.body, from: answer.url, maximumItems: configuration.items)
        func validator(_ name: String) -> String? {
            answer.headers.first(name: name).flatMap { $0.utf8.count <= Self.longestValidator ? $0 : nil }
        }
        return .list(
            list,
            CatalogueStateMachine.Validators(entityTag: validator("etag"), lastModified: validator("last-modified")))
    }

    private func readFile(_ job: CatalogueStateMachine.Job) async throws(CatalogueFault)
        -> CatalogueStateMachine.Outcome
    {
        let (path, size) = (job.configuration.path ?? "", job.configuration.size)
        let fileSystem = self.fileSystem
        let result: Result<[UInt8], ConfigFileError>
        do {
            result = try await NIOThreadPool.singleton.runIfActive {
                do throws(ConfigFileError) {
                    return .success(try fileSystem.read(path, size))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CatalogueFault(HTTPFetchFailure(.ended, "the gateway is stopping"))
        }
        switch result {
        case .success(let bytes):
            let list = try CatalogueReader.read(
                ByteBuffer(bytes: bytes), from: nil, maximumItems: job.configuration.items)
            return .list(list, CatalogueStateMachine.Validators())
        case .failure(.tooLarge): throw CatalogueFault("too_large", "\(path) has more than \(size) bytes")
        case .failure(.notFound): throw CatalogueFault("file", "there is no file \(path)")
        case .failure(.notAFile): throw CatalogueFault("file", "\(path) is no file")
        case .failure(.refused(let reason)): throw CatalogueFault("file", "\(path) cannot be read: \(reason)")
        }
    }
}

extension CatalogueConfiguration {
    /// The place of the list, as it may be shown: paths and queries of URLs often hold tokens.
    var shownPlace: String {
        self.url.map { (try? OutboundURL($0))?.shown ?? "a URL" } ?? self.path ?? ""
    }
}
