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
  let current: CallerListeners | undefined
  let isGone = false
  let isStopped = false
  sink.onDrain(() => current?.onDrain())
  sink.onGone(() => {
    isGone = true
    current?.onGone()
  })
  sink.onStop(() => {
    isStopped = true
    current?.onStop()
  })
  return {
    get isGone() {
      return isGone
    },
    listen(listeners) {
      current = listeners
      if (isGone) listeners.onGone()
      else if (isStopped) listeners.onStop()
    },
  }
}
