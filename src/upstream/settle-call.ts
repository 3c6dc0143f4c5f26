import type { Upstream, UpstreamFlow, UpstreamListener, UpstreamRequest } from './upstream.ts'

export interface CallToSettle<Value> {
  readonly request: UpstreamRequest
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal: AbortSignal
  readonly listen: (settlement: Settlement<Value>) => UpstreamListener
}

/** The one result of a call. The first result wins. */
export interface Settlement<Value> {
  resolve(value: Value): void
  reject(reason: unknown): void
}

/**
 * Makes a call that gives one value. With that value the call is over, and its abort listener is removed from the
 * signal.
 */
export async function settleCall<Value>(
  upstream: Upstream,
  { request, signal, listen }: CallToSettle<Value>,
): Promise<Value> {
  signal.throwIfAborted()
  const call = new SettlingCall<Value>(signal)
  call.begin(upstream.call(request, listen(call)))
  return call.settled
}

class SettlingCall<Value> implements Settlement<Value> {
  readonly #result = Promise.withResolvers<Value>()
  readonly #signal: AbortSignal
  readonly #stop = () => this.reject(this.#signal.reason)
  #flow: UpstreamFlow | undefined
  #isSettled = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get settled(): Promise<Value> {
    return this.#result.promise
  }

  /** Stores the flow of the call. A call that cannot be made has already failed. */
  begin(flow: UpstreamFlow): void {
    if (this.#isSettled) return
    this.#flow = flow
    this.#signal.addEventListener('abort', this.#stop)
  }

  resolve(value: Value): void {
    this.#end()
    this.#result.resolve(value)
  }

  reject(reason: unknown): void {
    this.#end()
    this.#result.reject(reason)
  }

  /** Closes the connection if more of the answer could still come. */
  #end(): void {
    this.#isSettled = true
    this.#signal.removeEventListener('abort', this.#stop)
    this.#flow?.abort()
  }
}
