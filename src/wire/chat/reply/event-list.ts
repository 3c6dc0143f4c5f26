import type { Failure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'

/** The events of one answer, in the order in which they were read. */
export class EventList {
  isOver = false
  #events: ReplyEvent[] = []

  push(event: ReplyEvent): void {
    this.#events.push(event)
  }

  /** Ends the answer with a failure. No event follows it. */
  fail(failure: Failure): void {
    if (this.isOver) return
    this.isOver = true
    this.push({ type: 'failure', failure })
  }

  /** Returns the events added since the last call, and removes them. */
  drain(): readonly ReplyEvent[] {
    const events = this.#events
    this.#events = []
    const failure = this.isOver ? events.findIndex((event) => event.type === 'failure') : -1
    return failure === -1 ? events : events.slice(0, failure + 1)
  }
}
