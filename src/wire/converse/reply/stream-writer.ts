import type { Extras } from '../../../canonical/format.ts'
import { createLossList, type LossList } from '../../../canonical/loss.ts'
import { isOfChoice, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'
import type { AnswerTimer } from '../../answer-form.ts'
import { addCost } from '../../fields/add-cost.ts'
import type { StreamWriter, StreamWriterOptions } from '../../reply-stream.ts'
import type { UsagePath } from '../../wire-format.ts'
import { writeErrorEvent } from '../errors/write-error.ts'
import { BlockQueue, type ConverseEvent } from './block-queue.ts'
import { type BlockParts, BlockWriter } from './block-writer.ts'
import { writeMetadata, writeStop } from './write-end.ts'

type ChoiceEnd = Extract<ReplyEvent, { readonly type: 'choice-end' }>
type ReplyEnd = Extract<ReplyEvent, { readonly type: 'reply-end' }>

/** The path of the usage in the event that ends a stream. */
export const eventUsagePath: UsagePath = ['usage']

/**
 * Writes a streamed answer as named events (API_runtime_ConverseStream.html, seen 2026-11-25). The events are encoded
 * as AWS event stream messages only when they are sent.
 */
export function createStreamWriter({ timer }: StreamWriterOptions): StreamWriter {
  return new ConverseStreamWriter(timer)
}

class ConverseStreamWriter implements StreamWriter {
  readonly #losses: LossList = createLossList()
  readonly #blocks = new BlockWriter(this.#losses)
  readonly #queue = new BlockQueue()
  readonly #timer: AnswerTimer | undefined
  #startExtras: Extras | undefined
  #startTier: ServedTier | undefined
  #usage: Usage | undefined
  #isOver = false

  constructor(timer: AnswerTimer | undefined) {
    this.#timer = timer
  }

  get losses() {
    return this.#losses.all
  }

  push(event: ReplyEvent): string {
    if (this.#isOver) return ''
    if (isOfChoice(event) && event.choice > 0) {
      this.#losses.lose('choices', 'dropped')
      return ''
    }
    switch (event.type) {
      case 'reply-start':
        this.#startExtras = event.extras
        this.#startTier = event.serviceTier
        return writeNamedFrame('messageStart', { role: 'assistant' })
      case 'logprobs-delta':
        this.#losses.lose('logprobs', 'dropped')
        return ''
      case 'choice-end':
        return this.#stop(event)
      case 'usage':
        this.#usage = event.usage
        return ''
      case 'reply-end':
        return this.#end(event)
      case 'failure':
        this.#isOver = true
        return writeErrorEvent(event.failure)
      default:
        return isOfChoice(event) ? this.#writeBlock(event) : unreachable(event)
    }
  }

  #writeBlock(event: Parameters<BlockWriter['push']>[0]): string {
    if (event.type === 'block-start') this.#queue.open(event.block)
    const written = this.#add(event.block, this.#blocks.push(event))
    return event.type === 'block-end' ? written + writeFrames(this.#queue.end(event.block)) : written
  }

  #add(block: number, { start, deltas }: BlockParts): string {
    let output = ''
    if (start !== undefined)
      output += writeFrames(this.#queue.add({ block, type: 'contentBlockStart', payload: { start } }))
    for (const delta of deltas)
      output += writeFrames(this.#queue.add({ block, type: 'contentBlockDelta', payload: { delta } }))
    return output
  }

  #stop(end: ChoiceEnd): string {
    const stop = writeStop(end, this.#blocks.content, this.#losses)
    return writeFrames(this.#queue.endAll()) + writeNamedFrame('messageStop', stop)
  }

  #end({ serviceTier, extras, cost }: ReplyEnd): string {
    this.#isOver = true
    const facts = {
      usage: this.#usage,
      serviceTier: serviceTier ?? this.#startTier,
      startExtras: this.#startExtras,
      extras,
      timer: this.#timer,
    }
    const metadata = writeMetadata(facts, this.#losses)
    return writeNamedFrame('metadata', addCost(metadata, eventUsagePath, cost))
  }
}

function writeFrames(events: readonly ConverseEvent[]): string {
  return events.map(([type, payload]) => writeNamedFrame(type, payload)).join('')
}
