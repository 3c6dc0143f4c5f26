import type { ReplySink } from './reply-sink.ts'

export interface CallerListeners {
  readonly onDrain: () => void
  readonly onGone: () => void
  /** The process must end: what is under way is told so, and ends. */
  readonly onStop: () => void
}

/** The caller's side of the connection, as whichever attempt is under way must know it. */
export interface CallerLink {
  /** Replaces the listeners of the attempt before. Calls `onGone` at once where the caller has left already. */
  listen(listeners: CallerListeners): void
  readonly isGone: boolean
}

export function createCallerLink(sink: ReplySink): CallerLink {
  return new SinkLink(sink)
}

class SinkLink implements CallerLink {
  isGone = false
  #isStopped = false
  #current: CallerListeners | undefined

  constructor(sink: ReplySink) {
    sink.onDrain(() => this.#current?.onDrain())
    sink.onGone(() => {
      this.isGone = true
      this.#current?.onGone()
    })
    sink.onStop(() => {
      this.#isStopped = true
      this.#current?.onStop()
    })
  }

  listen(listeners: CallerListeners): void {
    this.#current = listeners
    if (this.isGone) listeners.onGone()
    else if (this.#isStopped) listeners.onStop()
  }
}
