import { AnswerSize } from '../../canonical/answer-size.ts'
import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import { isContent, type ReplyEvent } from '../../canonical/reply-event.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { createSseParser, type SseFrame } from '../../kit/sse/sse-parser.ts'
import { refuseJson } from '../../wire/answer-bounds.ts'
import { isErrorLine } from '../../wire/errors/read-error-frame.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { StreamReader, StreamWriter } from '../../wire/reply-stream.ts'
import { type CostOf, priceEnd } from '../exchange/answer-cost.ts'
import { findBrokenCall } from '../exchange/find-broken-call.ts'
import { describeUnreadable } from './describe-unreadable.ts'
import {
  frameTooLarge,
  MAX_FRAME_BYTES,
  noParts,
  type StreamParts,
  type StreamRelay,
} from './stream-relay.ts'

export interface TranslatedRelayOptions {
  readonly reader: StreamReader
  readonly writer: StreamWriter
  /** A parser of server-sent events by default. */
  readonly parser?: FrameParser
  /** The creation time of the answer, where the upstream's format does not state it. */
  readonly createdAtSeconds: number
  /** Defined where the caller asks to see the answer's cost in the usage. */
  readonly costOf: CostOf | undefined
}

/** Reads an upstream's frames into events and writes them in the caller's format. */
export function createTranslatedRelay(options: TranslatedRelayOptions): StreamRelay {
  return new TranslatedRelay(options)
}

class TranslatedRelay implements StreamRelay {
  readonly statesEnd = true
  hasContent = false
  progress = 0
  shownCharacters = 0
  #frames = 0
  #frameBytes = 0
  isComplete = false
  failure: Failure | undefined
  usage: Usage | undefined
  servedTier: ServedTier | undefined
  readonly #options: TranslatedRelayOptions
  readonly #parser: FrameParser
  readonly #size: AnswerSize

  constructor(options: TranslatedRelayOptions) {
    this.#options = options
    this.#size = new AnswerSize({ keepsText: options.writer.keepsText === true })
    this.#parser = options.parser ?? createSseParser()
  }

  get losses(): readonly Loss[] {
    return this.#options.writer.losses
  }

  get heldBytes(): number {
    return this.#parser.pendingBytes + this.#size.bytes
  }

  get #isOver(): boolean {
    return this.isComplete || this.failure !== undefined
  }

  push(chunk: Buffer): StreamParts {
    if (this.#isOver) return noParts
    let output = ''
    for (const frame of this.#parser.push(chunk)) {
      if (frame.data === undefined && !isErrorLine(frame)) continue
      output += this.#read(frame)
      if (this.#isOver) return [output]
    }
    if (this.#parser.failure !== undefined) this.failure = this.#parser.failure
    else if (this.#parser.pendingBytes > MAX_FRAME_BYTES) this.failure = frameTooLarge()
    return output === '' ? noParts : [output]
  }

  end(): StreamParts {
    if (this.#isOver) return noParts
    const rest = this.#parser.end()
    let output = ''
    if (rest?.data !== undefined) output = this.#endFrame(rest)
    if (!this.#isOver) output += this.#endReader()
    return [output]
  }

  /** Ends the reader. A stream that ended normally without content was not cut off: it contained no answer. */
  #endReader(): string {
    const output = this.#write(this.#options.reader.end())
    if (this.failure?.code === 'upstream_disconnected' && !this.hasContent)
      this.failure = createFailure('upstream_empty')
    return output
  }

  /** Reads a last frame without its blank line. Such a frame is used only if it is complete (its data parses). */
  #endFrame(rest: SseFrame): string {
    const output = this.#read(rest)
    if (this.failure?.code === 'upstream_bad_response') this.failure = createFailure('upstream_disconnected')
    return output
  }

  #read(frame: SseFrame): string {
    this.failure = refuseJson(frame.data ?? '')
    const output = this.failure === undefined ? this.#write(this.#options.reader.push(frame)) : ''
    const position = { event: this.#frames + 1, byte: this.#frameBytes + 1 }
    if (this.failure !== undefined) this.failure = describeUnreadable(this.failure, frame.data, position)
    this.#frames += 1
    this.#frameBytes += frame.bytes.length
    return output
  }

  #write(events: readonly ReplyEvent[]): string {
    let output = ''
    for (const event of events) {
      this.failure = this.#judge(event)
      // For an answer without content, not even its beginning is sent.
      if (this.failure !== undefined) return event.type === 'reply-end' ? '' : output
      this.#count(event)
      output += this.#options.writer.push(this.#complete(event))
    }
    return output
  }

  /** The failure that an event reports, or that it reveals about the answer. */
  #judge(event: ReplyEvent): Failure | undefined {
    if (event.type === 'failure') return event.failure
    if (event.type === 'reply-end' && !this.hasContent) return createFailure('upstream_empty')
    const tooLarge = this.#size.add(event)
    if (tooLarge !== undefined || event.type !== 'choice-end') return tooLarge
    return findBrokenCall({ choices: [event] }, this.#options.writer.losses)
  }

  #count(event: ReplyEvent): void {
    if (event.type === 'usage') this.usage = event.usage
    if (event.type === 'reply-start' || event.type === 'reply-end')
      this.servedTier = event.serviceTier ?? this.servedTier
    if (event.type === 'reply-end') this.isComplete = true
    if (!isContent(event)) return
    this.hasContent = true
    this.progress += 1
    if (event.type === 'text-delta' || event.type === 'tool-input-delta')
      this.shownCharacters += event.text.length
  }

  /** Adds what the upstream cannot know to an event: the answer's time at the start, its cost at the end. */
  #complete(event: ReplyEvent): ReplyEvent {
    if (event.type === 'reply-start') return { createdAtSeconds: this.#options.createdAtSeconds, ...event }
    return event.type === 'reply-end' ? priceEnd(event, this.#options.costOf, this) : event
  }
}
