import type { AssistantBlock } from '../../canonical/content.ts'
import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Reply } from '../../canonical/reply.ts'
import { type BlockEvent, type BlockStart, isOfBlock, type ReplyEvent } from '../../canonical/reply-event.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { StreamReader } from '../../wire/reply-stream.ts'
import type { ReasoningCarrier } from './reasoning-carrier.ts'
import type { AnswerFormat } from './restore-answers.ts'

/** Reads the answers of a channel so that their reasoning signatures are sealed for the caller and stored here. */
export function carryAnswers(format: AnswerFormat, carrier: ReasoningCarrier): AnswerFormat {
  return {
    readReplyInSteps: (body) => readSealed(body, format, carrier),
    createStreamReader: () => new SealingReader(format.createStreamReader(), carrier),
  }
}

function* readSealed(
  body: JsonValue,
  format: AnswerFormat,
  carrier: ReasoningCarrier,
): Steps<Reply | Failure> {
  const reply = yield* format.readReplyInSteps(body)
  if (isFailure(reply)) return reply
  yield
  return carrier.sealReply(reply)
}

/** A block as far as it has arrived. The text of the answer itself is not held. */
class GatheredBlock {
  readonly start: BlockStart
  text = ''
  signature: string | undefined
  constructor(start: BlockStart) {
    this.start = start
  }
}

/** Reads the events of one answer. A signature is passed on sealed and complete, at the end of its block. */
class SealingReader implements StreamReader {
  readonly #reader: StreamReader
  readonly #carrier: ReasoningCarrier
  /** The blocks of each choice. */
  readonly #blocks: GatheredBlock[][] = []

  constructor(reader: StreamReader, carrier: ReasoningCarrier) {
    this.#reader = reader
    this.#carrier = carrier
  }

  push(frame: SseFrame): readonly ReplyEvent[] {
    return this.#replaceAll(this.#reader.push(frame))
  }

  end(): readonly ReplyEvent[] {
    return this.#replaceAll(this.#reader.end())
  }

  /** Replaces events. Returns the same list if nothing changes, which is nearly always so. */
  #replaceAll(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    let changed: ReplyEvent[] | undefined
    let index = 0
    for (const event of events) {
      const replaced = this.#replace(event)
      if (replaced !== undefined) changed ??= events.slice(0, index)
      changed?.push(...(replaced ?? [event]))
      index += 1
    }
    return changed ?? events
  }

  /** The events that replace an event; undefined where the event does not change. */
  #replace(event: ReplyEvent): readonly ReplyEvent[] | undefined {
    if (isOfBlock(event)) return this.#replaceOfBlock(event)
    if (event.type === 'choice-end') {
      this.#carrier.keep((this.#blocks[event.choice] ?? []).map(blockOf))
    }
    return undefined
  }

  #replaceOfBlock(event: BlockEvent): readonly BlockEvent[] | undefined {
    if (event.type === 'block-start') return this.#open(event)
    const block = this.#blocks[event.choice]?.[event.block]
    if (block === undefined) return undefined
    switch (event.type) {
      case 'text-delta':
        if (block.start.type === 'thinking') block.text += event.text
        return undefined
      case 'tool-input-delta':
        block.text += event.text
        return undefined
      case 'signature-delta':
        block.signature = (block.signature ?? '') + event.signature
        return []
      case 'block-end':
        return this.#close(block, event)
      default:
        return undefined
    }
  }

  #open(event: Extract<BlockEvent, { readonly type: 'block-start' }>): readonly BlockEvent[] | undefined {
    const { choice, block, start } = event
    this.#blocks[choice] ??= []
    this.#blocks[choice][block] = new GatheredBlock(start)
    if (start.type !== 'redacted-thinking') return undefined
    return [{ ...event, start: { ...start, data: this.#carrier.seal(start) } }]
  }

  #close(block: GatheredBlock, event: BlockEvent): readonly BlockEvent[] | undefined {
    const { start, text, signature } = block
    if (signature === undefined || start.type !== 'thinking') return undefined
    const sealed = this.#carrier.seal({ ...start, text, signature })
    return [{ type: 'signature-delta', choice: event.choice, block: event.block, signature: sealed }, event]
  }
}

/** The block with the parts that determine the position of reasoning. */
function blockOf({ start, text, signature }: GatheredBlock): AssistantBlock {
  switch (start.type) {
    case 'thinking':
      return { ...start, text, ...(signature === undefined ? {} : { signature }) }
    case 'tool-call':
      return { ...start, input: text }
    case 'text':
    case 'refusal':
      return { ...start, text: '' }
    default:
      return start
  }
}
