import type { Dispatcher } from 'undici'
import { stackOf } from '../kit/errors/stack-of.ts'
import type { DeadBuffers } from '../kit/memory/dead-buffers.ts'
import { createInflatingListener, type InflatingListener } from './inflating-listener.ts'
import { ProxyRefusedError, readTransportFault, type TransportFault } from './transport-fault.ts'
import type { UpstreamFlow, UpstreamHeaders, UpstreamListener } from './upstream.ts'

const PROXY_ASKS_FOR_CREDENTIALS = 407

/** The limit of interim answers. Servers send a few at most: a hint, or a sign that they are still working. */
const MAX_INTERIM_ANSWERS = 100

class CallAbortedError extends Error {
  override readonly name = 'CallAbortedError'
}

function flowOf(controller: Dispatcher.DispatchController): UpstreamFlow {
  return {
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    abort: () => controller.abort(new CallAbortedError()),
  }
}

export interface CallTerms {
  /** Whether a proxy forwards the call. */
  readonly isForwarded: boolean
  readonly mayInflate: boolean
  readonly deadBuffers: Pick<DeadBuffers, 'add'> | undefined
}

/** The network library's handler and the call's control in one object, so that a call costs one allocation. */
export class CallHandler implements Dispatcher.DispatchHandler, UpstreamFlow {
  readonly #listener: GuardedListener
  readonly #terms: CallTerms
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #sawHead = false
  #pauseRequested = false
  #interimAnswers = 0
  #connection: { readonly bytesRead: number } | undefined
  /** The bytes of earlier answers on the connection, when the request was sent. */
  #earlierBytes = 0
  /** The step between the connection and the listener that decompresses the answer. */
  #inflating: InflatingListener | undefined

  constructor(listener: UpstreamListener, terms: CallTerms) {
    this.#listener = new GuardedListener(listener, this)
    this.#terms = terms
  }

  /** Sets the connection that the call will use. */
  useConnection(connection: { readonly bytesRead: number }): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#earlierBytes = this.#connection?.bytesRead ?? 0
    if (this.#isOver) controller.abort(new CallAbortedError())
  }

  onRequestSent(): void {
    if (!this.#isOver) this.#listener.onSent()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (this.#isOver) return
    // Answers with a 1xx status precede the final answer.
    if (status < 200) {
      this.#countInterimAnswer()
      return
    }
    const { isForwarded, mayInflate } = this.#terms
    if (isForwarded && status === PROXY_ASKS_FOR_CREDENTIALS) {
      const error = new ProxyRefusedError(`the proxy answered with status ${PROXY_ASKS_FOR_CREDENTIALS}`)
      this.#refuse(readTransportFault(error, 'nothing'))
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
    this.#terms.deadBuffers?.add(chunk.length)
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
    const arrived = this.#sawHead ? 'head' : this.#interimAnswers > 0 ? 'interim' : 'nothing'
    const wasServing = this.#earlierBytes > 0 && this.#connection?.bytesRead === this.#earlierBytes
    sink.onFault(readTransportFault(error, arrived, wasServing))
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
    this.#controller?.abort(new CallAbortedError())
  }

  #countInterimAnswer(): void {
    this.#interimAnswers += 1
    if (this.#interimAnswers <= MAX_INTERIM_ANSWERS) return
    this.#refuse({
      kind: 'bad-http',
      message: `more than ${MAX_INTERIM_ANSWERS} interim answers (status 1xx)`,
      onReusedConnection: false,
    })
  }

  #refuse(fault: TransportFault): void {
    this.#isOver = true
    this.#controller?.abort(new CallAbortedError())
    this.#listener.onFault(fault)
  }
}

/**
 * The one place that catches errors which a listener of an upstream's answer throws. Without it, the network library
 * would swallow the error and never notify the listener that its call is over, and an error in the inflating streams
 * would end the process. The call ends at once: its connection closes and its listener gets a fault.
 */
export class GuardedListener implements UpstreamListener {
  readonly #listener: UpstreamListener
  readonly #flow: Pick<UpstreamFlow, 'abort'>
  #isBroken = false

  constructor(listener: UpstreamListener, flow: Pick<UpstreamFlow, 'abort'>) {
    this.#listener = listener
    this.#flow = flow
  }

  onSent(): void {
    if (this.#isBroken) return
    try {
      this.#listener.onSent?.()
    } catch (error) {
      this.#break(error)
    }
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#isBroken) return
    try {
      this.#listener.onHead(status, headers)
    } catch (error) {
      this.#break(error)
    }
  }

  onData(chunk: Buffer): void {
    if (this.#isBroken) return
    try {
      this.#listener.onData(chunk)
    } catch (error) {
      this.#break(error)
    }
  }

  onEnd(): void {
    if (this.#isBroken) return
    try {
      this.#listener.onEnd()
    } catch (error) {
      this.#break(error)
    }
  }

  onFault(fault: TransportFault): void {
    if (this.#isBroken) return
    try {
      this.#listener.onFault(fault)
    } catch (error) {
      this.#break(error)
    }
  }

  #break(error: unknown): void {
    this.#isBroken = true
    this.#flow.abort()
    try {
      this.#listener.onFault(faultOfThrown(error))
    } catch {
      // A listener that throws on the fault as well is ended by its deadlines.
    }
  }
}

/** The fault for an error that a listener threw. It carries the stack, the only hint to the error's origin. */
export function faultOfThrown(error: unknown): TransportFault {
  const message = stackOf(error)
  return { kind: 'unreadable', message, onReusedConnection: false }
}
