import { reasonOf } from '../kit/errors/reason-of.ts'
import type { Upstream, UpstreamFlow, UpstreamListener, UpstreamRequest } from './upstream.ts'

/** Wraps an upstream so that a call gets its authorization headers before it is made, where the call asks for them. */
export function createAuthorizedUpstream(upstream: Upstream): Upstream {
  return {
    call(request, listener) {
      if (request.authorize === undefined) return upstream.call(request, listener)
      const flow = new WaitingFlow(upstream, listener)
      void flow.start(request, request.authorize)
      return flow
    },
    close: () => upstream.close(),
  }
}

const UNAUTHORIZED = 401

/** The flow of a call that waits for its authorization. Requests to this flow are applied once the call is made. */
class WaitingFlow implements UpstreamFlow {
  readonly #upstream: Upstream
  readonly #listener: UpstreamListener
  #flow: UpstreamFlow | undefined
  #isPaused = false
  #isAborted = false
  #isRenewed = false

  constructor(upstream: Upstream, listener: UpstreamListener) {
    this.#upstream = upstream
    this.#listener = listener
  }

  async start(request: UpstreamRequest, authorize: NonNullable<UpstreamRequest['authorize']>): Promise<void> {
    try {
      const headers = await authorize(request)
      if (this.#isAborted) return
      const authorized = { ...request, headers: { ...request.headers, ...headers } }
      this.#flow = this.#upstream.call(authorized, this.#listenFor(request, headers))
      if (this.#isPaused) this.#flow.pause()
    } catch (error) {
      if (this.#isAborted) return
      const message = reasonOf(error)
      this.#listener.onFault({ kind: 'unauthorized', message, onReusedConnection: false })
    }
  }

  /**
   * Makes a listener that does not pass on a refusal of a cached credential: the provider did no work, and another
   * token may be valid.
   */
  #listenFor(request: UpstreamRequest, headers: Readonly<Record<string, string>>): UpstreamListener {
    const { authorize, onRefused, isRefusal } = request
    if (authorize === undefined || onRefused === undefined || this.#isRenewed) return this.#listener
    const listener = this.#listener
    return {
      onSent: () => listener.onSent?.(),
      onHead: (status, answerHeaders) => {
        const isRefused = status === UNAUTHORIZED || isRefusal?.(status, answerHeaders) === true
        if (!isRefused) return listener.onHead(status, answerHeaders)
        this.#flow?.abort()
        this.#flow = undefined
        this.#isRenewed = true
        onRefused(headers)
        void this.start(request, authorize)
      },
      onData: (chunk) => listener.onData(chunk),
      onEnd: () => listener.onEnd(),
      onFault: (fault) => listener.onFault(fault),
    }
  }

  pause(): void {
    this.#isPaused = true
    this.#flow?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#flow?.resume()
  }

  abort(): void {
    this.#isAborted = true
    this.#flow?.abort()
  }
}
