import type { Dispatcher } from 'undici'
import { GuardedListener } from './guarded-listener.ts'
import { createInflatingListener, type InflatingListener } from './inflating-listener.ts'
import { ProxyRefusedError, readTransportFault, type TransportFault } from './transport-fault.ts'
import type { UpstreamFlow, UpstreamHeaders, UpstreamListener } from './upstream.ts'

const PROXY_ASKS_FOR_CREDENTIALS = 407

/** Servers send a few at most: a hint, or that they are still at work. */
const MAX_INTERIM_ANSWERS = 100

class AbortedByUs extends Error {}

function flowOf(controller: Dispatcher.DispatchController): UpstreamFlow {
  return {
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    abort: () => controller.abort(new AbortedByUs()),
  }
}

export interface CallTerms {
  /** A proxy passes the call on. */
  readonly isForwarded: boolean
  readonly mayInflate: boolean
}

/** The library's handler and the call's control in one, so that a call costs one object. */
export class CallHandler implements Dispatcher.DispatchHandler, UpstreamFlow {
  readonly #listener: GuardedListener
  readonly #terms: CallTerms
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #sawHead = false
  #pauseRequested = false
  #interimAnswers = 0
  /** Where the answer comes compressed, between the connection and the listener. */
  #inflating: InflatingListener | undefined

  constructor(listener: UpstreamListener, terms: CallTerms) {
    this.#listener = new GuardedListener(listener, this)
    this.#terms = terms
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new AbortedByUs())
  }

  onRequestSent(): void {
    if (!this.#isOver) this.#listener.onSent()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (this.#isOver) return
    // 1xx answers precede the real one.
    if (status < 200) {
      this.#countInterimAnswer()
      return
    }
    const { isForwarded, mayInflate } = this.#terms
    if (isForwarded && status === PROXY_ASKS_FOR_CREDENTIALS) {
      const error = new ProxyRefusedError(`the proxy answered with status ${PROXY_ASKS_FOR_CREDENTIALS}`)
      this.#refuse(readTransportFault(error, false))
      return
    }
    this.#sawHead = true
    if (mayInflate && headers['content-encoding'] !== undefined)
      this.#inflating = createInflatingListener(headers, this.#listener, flowOf(controller))
    const sink = this.#inflating ?? this.#listener
    sink.onHead(status, headers)
    if (this.#pauseRequested && !this.#isOver) this.#controller?.pause()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#inflating === undefined) this.#listener.onData(chunk)
    else this.#inflating.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#isOver = true
    const sink = this.#inflating ?? this.#listener
    sink.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    const sink = this.#inflating ?? this.#listener
    sink.onFault(readTransportFault(error, this.#sawHead))
  }

  pause(): void {
    this.#pauseRequested = true
    if (this.#inflating === undefined) this.#controller?.pause()
    else this.#inflating.pause()
  }

  resume(): void {
    this.#pauseRequested = false
    if (this.#inflating === undefined) this.#controller?.resume()
    else this.#inflating.resume()
  }

  abort(): void {
    this.#inflating?.abort()
    if (this.#isOver) return
    this.#isOver = true
    this.#controller?.abort(new AbortedByUs())
  }

  #countInterimAnswer(): void {
    this.#interimAnswers += 1
    if (this.#interimAnswers <= MAX_INTERIM_ANSWERS) return
    this.#refuse({ kind: 'bad-http', message: 'interim answers without end', onReusedConnection: false })
  }

  #refuse(fault: TransportFault): void {
    this.#isOver = true
    this.#controller?.abort(new AbortedByUs())
    this.#listener.onFault(fault)
  }
}
