import { sniffMediaType } from '../kit/bytes/sniff-media-type.ts'
import { type Settlement, settleCall } from './settle-call.ts'
import type { Upstream, UpstreamHeaders, UpstreamListener } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

export interface FileRequest {
  readonly url: string
  readonly maxBytes: number
  /** Called with the number of bytes that arrived. Returns false where there is no room for them. */
  readonly reserveBytes: (count: number) => boolean
  readonly allowPrivate: boolean
  readonly connectTimeoutMs: number
  readonly userAgent: string
  /** The prefix of the wanted media types, such as `image/`. A file's media type is found from its first bytes. */
  readonly mediaTypePrefix: string
}

export interface FetchedFile {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** Says why the file was not fetched. The message continues a sentence that begins with "it". */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
}

const MAX_REDIRECTS = 3

/**
 * Fetches a file from an address that a caller named. The request carries only our name: no credential, no cookie.
 * Each redirect is checked like the first address, and the guard allows only connections to public addresses. The
 * server's headers about the content are not trusted. Rejects with `FileRefusedError`, or with the signal's reason.
 */
export async function fetchFile(
  upstream: Upstream,
  request: FileRequest,
  signal: AbortSignal,
): Promise<FetchedFile> {
  let url = readAddress(request.url)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await ask(upstream, { ...request, url }, signal)
    if (answer.location === undefined) return judge(answer.bytes, request.mediaTypePrefix)
    url = readRedirect(url, answer.location)
  }
  throw new FileRefusedError('is redirected too often')
}

function readAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new FileRefusedError('has no http or https address')
  }
  if (url.username !== '' || url.password !== '') {
    throw new FileRefusedError('has an address with a user name or password')
  }
  return url
}

function readRedirect(from: URL, location: string): URL {
  const to = readAddress(location, from)
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new FileRefusedError('is redirected from https to http')
  }
  return to
}

/** The address of a redirect, or the file's bytes. */
interface FileAnswer {
  readonly location?: string
  readonly bytes: Buffer
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const noBytes = Buffer.alloc(0)

function ask(
  upstream: Upstream,
  request: Omit<FileRequest, 'url'> & { readonly url: URL },
  signal: AbortSignal,
): Promise<FileAnswer> {
  const { url, allowPrivate, connectTimeoutMs, userAgent } = request
  const call = {
    method: 'GET',
    origin: url.origin,
    pathAndQuery: url.pathname + url.search,
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent },
    body: emptyBody,
    connectTimeoutMs,
    allowPrivate,
    onNewConnection: true,
  } as const
  const listen = (settlement: Settlement<FileAnswer>) => new FileListener(settlement, request)
  return settleCall(upstream, { request: call, signal, listen })
}

class FileListener implements UpstreamListener {
  readonly #settlement: Settlement<FileAnswer>
  readonly #bounds: Pick<FileRequest, 'maxBytes' | 'reserveBytes'>
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(settlement: Settlement<FileAnswer>, bounds: Pick<FileRequest, 'maxBytes' | 'reserveBytes'>) {
    this.#settlement = settlement
    this.#bounds = bounds
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    const location = readHead(status, headers, this.#bounds.maxBytes)
    if (typeof location === 'string') this.#settlement.resolve({ location, bytes: noBytes })
    else if (location !== undefined) this.#settlement.reject(location)
  }

  onData(chunk: Buffer): void {
    const { maxBytes, reserveBytes } = this.#bounds
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes > maxBytes) this.#settlement.reject(tooLarge(maxBytes))
    else if (!reserveBytes(chunk.length)) this.#settlement.reject(tooMuch())
  }

  onEnd(): void {
    this.#settlement.resolve({ bytes: Buffer.concat(this.#chunks) })
  }

  /** All faults give the same message, since a caller must not learn whether a host exists within our network. */
  onFault(): void {
    this.#settlement.reject(new FileRefusedError('cannot be reached at a public address'))
  }
}

/** The address of a redirect, or the reason of a refusal. Undefined where the body is the file. */
function readHead(
  status: number,
  headers: UpstreamHeaders,
  maxBytes: number,
): string | FileRefusedError | undefined {
  const { location } = headers
  if (redirects.has(status) && typeof location === 'string') return location
  if (status !== 200) return new FileRefusedError(`is answered with status ${status}`)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return new FileRefusedError('is sent compressed, which was not asked for')
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

function tooLarge(maxBytes: number): FileRefusedError {
  return new FileRefusedError(`is larger than ${Math.floor(maxBytes / 1_024)} KB`)
}

function tooMuch(): FileRefusedError {
  return new FileRefusedError('makes the files of this request too large together')
}

function judge(bytes: Buffer, mediaTypePrefix: string): FetchedFile {
  const mediaType = sniffMediaType(bytes)
  if (mediaType?.startsWith(mediaTypePrefix)) return { mediaType, bytes }
  throw new FileRefusedError('is not a file of a type that models accept there')
}
