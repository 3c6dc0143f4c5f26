import type { ResponseSink } from './response-sink.ts'

export interface CallerListeners {
  onDrain(): void
  onGone(): void
  /** Called when the process must end. The attempt in progress is notified and ends. */
  onStop(): void
}

/** The caller's side of the connection, for the attempt in progress. */
export interface CallerConnection {
  /** Replaces the listeners of the earlier attempt. Calls `onGone` at once if the caller has already disconnected. */
  listen(listeners: CallerListeners): void
  readonly isGone: boolean
}

export interface OwnedCallerConnection extends CallerConnection {
  /** Ends the attempt in progress as if the caller had disconnected, because the request ended in another way. */
  abandon(): void
}

/**
 * Creates the connection. An error that a listener throws goes to `onFault` and ends only this request. Otherwise Node
 * would end the process.
 */
export function createCallerConnection(
  sink: ResponseSink,
  onFault: (error: unknown) => void,
): OwnedCallerConnection {
  return new SinkConnection(sink, onFault)
}

class SinkConnection implements OwnedCallerConnection {
  isGone = false
  #isStopped = false
  #current: CallerListeners | undefined
  readonly #onFault: (error: unknown) => void

  constructor(sink: ResponseSink, onFault: (error: unknown) => void) {
    this.#onFault = onFault
    sink.onDrain(() => this.#call('onDrain'))
    sink.onGone(() => this.abandon())
    sink.onStop(() => {
      this.#isStopped = true
      this.#call('onStop')
    })
  }

  abandon(): void {
    if (this.isGone) return
    this.isGone = true
    this.#call('onGone')
  }

  #call(event: keyof CallerListeners): void {
    try {
      this.#current?.[event]()
    } catch (error) {
      this.#onFault(error)
    }
  }

  listen(listeners: CallerListeners): void {
    this.#current = listeners
    if (this.isGone) listeners.onGone()
    else if (this.#isStopped) listeners.onStop()
  }
}
