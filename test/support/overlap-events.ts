import type { Reply } from '../../src/canonical/reply.ts'
import { isOfBlock, isOfChoice, type ReplyEvent } from '../../src/canonical/reply-event.ts'
import { unfoldReply } from '../../src/canonical/unfold-reply.ts'

/** Chooses one of so many. */
type Pick = (count: number) => number

/** The events of one choice that are still to come, in lanes that may overlap. */
interface ChoiceLanes {
  /** The lanes that have begun. */
  readonly begun: ReplyEvent[][]
  /** The lanes of blocks that have not begun, in their order. */
  readonly waiting: ReplyEvent[][]
  readonly end: ReplyEvent[]
}

/**
 * Replays a whole answer as a stream whose blocks and choices grow side by side in small pieces, as parallel calls do.
 * The fold is the answer.
 */
export function overlapEvents(reply: Reply, pick: Pick): readonly ReplyEvent[] {
  const events = unfoldReply(reply)
  const choices = reply.choices.map((_choice, index) =>
    lanesOf(events.filter((event) => isOfChoice(event) && event.choice === index)),
  )
  const overlapped = events.filter(({ type }) => type === 'reply-start')
  for (let left = choices; left.length > 0; left = left.filter(({ end }) => end.length > 0)) {
    const choice = left[pick(left.length)]
    const event = choice === undefined ? undefined : takeNext(choice, pick)
    if (event !== undefined) overlapped.push(event)
  }
  return [...overlapped, ...events.filter(({ type }) => type === 'usage' || type === 'reply-end')]
}

function lanesOf(events: readonly ReplyEvent[]): ChoiceLanes {
  const waiting: ReplyEvent[][] = []
  for (const event of events) {
    if (!isOfBlock(event)) continue
    waiting[event.block] ??= []
    waiting[event.block]?.push(...cutEvent(event))
  }
  return {
    begun: [events.filter(({ type }) => type === 'logprobs-delta')],
    waiting,
    end: events.filter(({ type }) => type === 'choice-end'),
  }
}

function takeNext({ begun, waiting, end }: ChoiceLanes, pick: Pick): ReplyEvent | undefined {
  const [next] = waiting
  const lanes = begun.filter((lane) => lane.length > 0)
  if (next !== undefined) lanes.push(next)
  const lane = lanes[pick(lanes.length)] ?? end
  if (lane === next) begun.push(...waiting.splice(0, 1))
  return lane.shift()
}

/** Cuts a piece of text into its characters, so that a client sees many pieces. */
function cutEvent(event: ReplyEvent): readonly ReplyEvent[] {
  if (event.type !== 'text-delta' && event.type !== 'tool-input-delta') return [event]
  return [...event.text].map((text) => ({ ...event, text }))
}
