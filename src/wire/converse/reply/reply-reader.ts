import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readServedTier } from '../../served-tier.ts'
import { readUsage } from '../values/read-usage.ts'
import { isMalformed, readStopReason } from '../values/stop-reason.ts'
import { BlockReader } from './block-reader.ts'

const none: readonly ReplyEvent[] = []

/**
 * Reads the events of one answer, streamed or converted from a whole answer. The format has neither an ID of the answer
 * nor the name of the model. Throws `GatewayError` if the events violate the format.
 */
export class ReplyReader {
  readonly #blocks = new BlockReader()
  #phase: 'before' | 'open' | 'finished' | 'over' = 'before'
  /** The failure that the stop reason tells of. The usage follows it, since the provider bills the answer. */
  #failure: Failure | undefined

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  /** Reads the payload of an event by its type; unknown types are ignored. */
  read(type: string | undefined, event: JsonObject): readonly ReplyEvent[] {
    switch (type) {
      case 'messageStart':
        return this.#start()
      case 'contentBlockStart':
        return this.#inside(() => this.#blocks.start(indexOf(event), objectOf(event['start'])))
      case 'contentBlockDelta':
        return this.#inside(() => this.#blocks.delta(indexOf(event), objectOf(event['delta'])))
      case 'contentBlockStop':
        return this.#phase === 'open' ? this.#blocks.stop(indexOf(event)) : none
      case 'messageStop':
        return this.#stop(event)
      case 'metadata':
        return this.#finish(event)
      default:
        return none
    }
  }

  /** Ends the answer when the upstream's stream ends. It is complete if its stop reason arrived. */
  end(): readonly ReplyEvent[] {
    if (this.#phase === 'over') return none
    if (this.#phase === 'finished') return this.#finish({})
    return this.fail(createFailure(this.#phase === 'before' ? 'upstream_empty' : 'upstream_disconnected'))
  }

  fail(failure: Failure): readonly ReplyEvent[] {
    this.#phase = 'over'
    return [{ type: 'failure', failure }]
  }

  #start(): readonly ReplyEvent[] {
    // A relay may repeat the start of a message, which does no harm.
    if (this.#phase !== 'before') return none
    this.#phase = 'open'
    return [{ type: 'reply-start', id: '', model: '' }]
  }

  /** Reads a block event. Blocks belong between the message's start (which some servers omit) and its stop reason. */
  #inside(read: () => readonly ReplyEvent[]): readonly ReplyEvent[] {
    const started = this.#start()
    if (this.#phase !== 'open') {
      return this.fail(createFailure('upstream_bad_response', { message: BLOCK_AFTER_END }))
    }
    const events = read()
    return started.length === 0 ? events : [...started, ...events]
  }

  #stop(event: JsonObject): readonly ReplyEvent[] {
    if (this.#phase === 'finished' || this.#phase === 'over') return none
    const started = this.#start()
    const word = event['stopReason']
    this.#phase = 'finished'
    if (isMalformed(word)) {
      this.#failure = createFailure('upstream_bad_response', { message: MALFORMED })
      return started
    }
    const { stopReason, extraFields } = readStopReason(word)
    const fields = event['additionalModelResponseFields'] ?? undefined
    const { stop_sequence: stopSequence, ...rest } = objectOf(fields)
    const modelFields = Object.keys(rest).length === 0 ? {} : { additionalModelResponseFields: rest }
    return [
      ...started,
      ...this.#blocks.endAll(),
      {
        type: 'choice-end',
        choice: 0,
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
        ...createExtras({ ...extraFields, ...modelFields }),
      },
    ]
  }

  /** Reads the usage, which is last and ends the answer. Usage before the stop reason does not end the answer. */
  #finish(event: JsonObject): readonly ReplyEvent[] {
    const usage = readUsage(event['usage'])
    const counted: readonly ReplyEvent[] = usage === undefined ? none : [{ type: 'usage', usage }]
    if (this.#phase === 'open') return counted
    if (this.#phase !== 'finished') return none
    if (this.#failure !== undefined) return [...counted, ...this.fail(this.#failure)]
    this.#phase = 'over'
    const { trace, performanceConfig } = event
    const serviceTier = readServedTier('converse', objectOf(event['serviceTier'])['type'])
    return [
      ...counted,
      {
        type: 'reply-end',
        ...(serviceTier === undefined ? {} : { serviceTier }),
        ...createExtras({
          ...(isSaid(trace) ? { trace } : {}),
          ...(isSaid(performanceConfig) ? { performanceConfig } : {}),
        }),
      },
    ]
  }
}

const BLOCK_AFTER_END = 'The model provider sent a part of the answer after its end.'
const MALFORMED =
  'The model wrote an answer that its provider could not read, so that only a part of it came. Send the request again.'

function createExtras(fields: JsonObject): { readonly extras?: Extras } {
  return Object.keys(fields).length === 0 ? {} : { extras: { format: 'converse', fields } }
}

function isSaid(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null
}

function indexOf(event: JsonObject): number {
  const index = event['contentBlockIndex']
  return typeof index === 'number' ? index : 0
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
