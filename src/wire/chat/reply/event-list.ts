import type { Failure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'

/** The events of one answer, in the order in which its pieces gave them. */
export class EventList {
  isOver = false
  #events: ReplyEvent[] = []

  push(event: ReplyEvent): void {
    this.#events.push(event)
  }

  /** Ends the answer with a failure; nothing follows it. */
  fail(failure: Failure): void {
    if (this.isOver) return
    this.isOver = true
    this.push({ type: 'failure', failure })
  }

  /** Hands over the events since the last time. */
  drain(): readonly ReplyEvent[] {
    const events = this.#events
    this.#events = []
    const failure = this.isOver ? events.findIndex((event) => event.type === 'failure') : -1
    return failure === -1 ? events : events.slice(0, failure + 1)
  }
}
