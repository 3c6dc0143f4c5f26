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

/**
 * Sends JSON and returns the status, also where the body of the answer stalls or is cut off, since the receiver has the
 * message. Rejects where no status came, with the fault or the signal's reason.
 */
export async function postJson(upstream: Upstream, post: JsonPost, signal: AbortSignal): Promise<number> {
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
  const head: AnswerHead = { status: undefined }
  const listen = (settlement: Settlement<number>) => new StatusListener(settlement, head)
  try {
    return await settleCall(upstream, { request, signal, listen })
  } catch (error) {
    if (head.status === undefined) throw error
    return head.status
  }
}

interface AnswerHead {
  status: number | undefined
}

class StatusListener implements UpstreamListener {
  readonly #settlement: Settlement<number>
  readonly #head: AnswerHead
  #bytes = 0

  constructor(settlement: Settlement<number>, head: AnswerHead) {
    this.#settlement = settlement
    this.#head = head
  }

  onHead(status: number): void {
    this.#head.status = status
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_ANSWER_BYTES) this.onEnd()
  }

  onEnd(): void {
    this.#settlement.resolve(this.#head.status ?? 0)
  }

  onFault({ message, kind }: TransportFault): void {
    this.#settlement.reject(new UpstreamCallError(message, { kind }))
  }
}
