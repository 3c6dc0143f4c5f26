import { type Settlement, settleCall } from './settle-call.ts'
import { type TransportFault, UpstreamCallError } from './transport-fault.ts'
import type { Upstream, UpstreamListener } from './upstream.ts'

export interface JsonPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connectTimeoutMs: number
  readonly allowPrivate: boolean
}

/** The limit of answer bytes that are read and dropped so that the connection can be reused. */
const MAX_ANSWER_BYTES = 65_536

/** Sends JSON and returns the status. Rejects where no whole answer came, or with the signal's reason. */
export function postJson(upstream: Upstream, post: JsonPost, signal: AbortSignal): Promise<number> {
  const { url, headers, body, connectTimeoutMs, allowPrivate } = post
  const { origin, pathname, search } = new URL(url)
  const request = {
    method: 'POST',
    origin,
    pathAndQuery: pathname + search,
    headers: { ...headers, 'content-type': 'application/json' },
    body: { type: 'bytes', parts: [Buffer.from(body)] },
    connectTimeoutMs,
    allowPrivate,
  } as const
  return settleCall(upstream, { request, signal, listen: (settlement) => new StatusListener(settlement) })
}

class StatusListener implements UpstreamListener {
  readonly #settlement: Settlement<number>
  #status = 0
  #bytes = 0

  constructor(settlement: Settlement<number>) {
    this.#settlement = settlement
  }

  onHead(status: number): void {
    this.#status = status
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_ANSWER_BYTES) this.#settlement.resolve(this.#status)
  }

  onEnd(): void {
    this.#settlement.resolve(this.#status)
  }

  onFault({ message, kind }: TransportFault): void {
    this.#settlement.reject(new UpstreamCallError(message, { kind }))
  }
}
