import { reasonOf } from '../kit/values/reason-of.ts'
import type { Upstream, UpstreamFlow, UpstreamListener, UpstreamRequest } from './upstream.ts'

/** Gets what authorises a call, where the call asks for that, before it is made. */
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

/** A call that waits for its authorisation: what is asked of it meanwhile counts once it is made. */
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

  /** A refusal of what was kept is no answer yet: the provider did nothing, and another token may be good. */
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
