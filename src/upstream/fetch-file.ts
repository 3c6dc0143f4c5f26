import { sniffMediaType } from '../kit/bytes/sniff-media-type.ts'
import { type Settlement, settleCall } from './settle-call.ts'
import type { Upstream, UpstreamHeaders, UpstreamListener } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

export interface FileRequest {
  readonly url: string
  readonly maxBytes: number
  /** Called with the number of bytes that arrived; false where there is no room for them. */
  readonly reserveBytes: (count: number) => boolean
  readonly allowPrivate: boolean
  readonly connectTimeoutMs: number
  readonly userAgent: string
  /** The kinds that are wanted, such as `image/`; what a file is its first bytes say. */
  readonly mediaTypePrefix: string
}

export interface FetchedFile {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** Says why there is no file, as the rest of a sentence that begins with "it". */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
}

const MAX_REDIRECTS = 3

/**
 * Gets a file from an address that a caller named. Nothing of ours goes along but our name: no credential, no cookie.
 * Each redirect is judged as the first address is, and each connection leads to a public address, by the guard. The
 * server's words on what it sends are not believed. Rejects with `FileRefusedError`, or with the signal's reason.
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

/** The address that the file moved to, or its bytes. */
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

  /** One word for all: whether a host within our network exists is no business of the caller's. */
  onFault(): void {
    this.#settlement.reject(new FileRefusedError('cannot be reached at a public address'))
  }
}

/** The address that the answer redirects to, why it is refused, or undefined where its body is the file. */
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
  throw new FileRefusedError('is no file of a kind that models take there')
}
