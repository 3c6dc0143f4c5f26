import { UpstreamCallError } from './transport-fault.ts'
import type { Upstream } from './upstream.ts'

export interface JsonPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connectTimeoutMs: number
  readonly allowPrivate: boolean
}

/** Bytes of the unused answer body that are drained so that the connection can be reused. */
const MAX_ANSWER_BYTES = 65_536

/** Sends JSON and answers with the status. Rejects where no whole answer came, or with the signal's reason. */
export function postJson(upstream: Upstream, post: JsonPost, signal: AbortSignal): Promise<number> {
  const { url, headers, body, connectTimeoutMs, allowPrivate } = post
  const { origin, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    let status = 0
    let bytes = 0
    const request = {
      method: 'POST',
      origin,
      pathAndQuery: pathname + search,
      headers: { ...headers, 'content-type': 'application/json' },
      body: [Buffer.from(body)],
      connectTimeoutMs,
      allowPrivate,
    } as const
    const flow = upstream.call(request, {
      onHead(received) {
        status = received
      },
      onData(chunk) {
        bytes += chunk.length
        if (bytes <= MAX_ANSWER_BYTES) return
        flow.abort()
        finishOnce(() => resolve(status))
      },
      onEnd: () => finishOnce(() => resolve(status)),
      onFault: ({ message }) => finishOnce(() => reject(new UpstreamCallError(message))),
    })
    signal.addEventListener('abort', stop, { once: true })

    function stop() {
      flow.abort()
      reject(signal.reason)
    }

    function finishOnce(finish: () => void) {
      signal.removeEventListener('abort', stop)
      finish()
    }
  })
}
