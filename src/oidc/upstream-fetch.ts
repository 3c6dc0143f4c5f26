import type { CustomFetch, CustomFetchOptions } from 'openid-client'
import { type Settlement, settleCall } from '../upstream/settle-call.ts'
import { type TransportFault, UpstreamCallError } from '../upstream/transport-fault.ts'
import type { Upstream, UpstreamHeaders, UpstreamListener } from '../upstream/upstream.ts'
import { emptyBody, type UpstreamBody } from '../upstream/upstream-body.ts'

/** The rules for calls to a provider. */
export interface ProviderTerms {
  readonly allowPrivate: boolean
  readonly proxy: string | undefined
}

const CONNECT_TIMEOUT_MS = 5_000
/** The limit on a response. A provider's metadata and keys have about ten kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576

const methods = { GET: 'GET', POST: 'POST' } as const

/**
 * A `fetch` for the OpenID Connect library that uses Headgate's own connections. It refuses private addresses unless
 * the configuration allows them, follows no redirects, and limits the size of a response. Rejects with
 * `UpstreamCallError`, or with the signal's reason.
 */
export function createUpstreamFetch(upstream: Upstream, { allowPrivate, proxy }: ProviderTerms): CustomFetch {
  return async (address, { method, headers, body, signal = new AbortController().signal }) => {
    const { origin, pathname, search } = new URL(address)
    const request = {
      method: method === 'POST' ? methods.POST : methods.GET,
      origin,
      pathAndQuery: pathname + search,
      headers: { ...headers, 'accept-encoding': 'identity', ...formHeaders(body) },
      body: readBody(body),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      allowPrivate,
      proxy,
    }
    return settleCall(upstream, { request, signal, listen: (settlement) => new AnswerListener(settlement) })
  }
}

function formHeaders(body: CustomFetchOptions['body']): Readonly<Record<string, string>> {
  return body instanceof URLSearchParams
    ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
    : {}
}

/** The library sends only forms. */
function readBody(body: CustomFetchOptions['body']): UpstreamBody {
  return body instanceof URLSearchParams || typeof body === 'string'
    ? { type: 'bytes', parts: [Buffer.from(String(body))] }
    : emptyBody
}

/** Statuses without a body. `Response` refuses a body for them (Fetch, "null body status"). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

class AnswerListener implements UpstreamListener {
  readonly #settlement: Settlement<Response>
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0
  #headers = new Headers()

  constructor(settlement: Settlement<Response>) {
    this.#settlement = settlement
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#status = status
    for (const [name, value] of Object.entries(headers))
      for (const each of value === undefined ? [] : [value].flat()) this.#headers.append(name, each)
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes > MAX_ANSWER_BYTES)
      this.#settlement.reject(new UpstreamCallError(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`))
  }

  onEnd(): void {
    const isBodiless = BODILESS.has(this.#status)
    const init = { status: this.#status, headers: this.#headers }
    this.#settlement.resolve(new Response(isBodiless ? null : Buffer.concat(this.#chunks), init))
  }

  onFault({ message }: TransportFault): void {
    this.#settlement.reject(new UpstreamCallError(message))
  }
}
