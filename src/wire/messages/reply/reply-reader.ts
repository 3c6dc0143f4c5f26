import { createFailure, type Failure, GatewayError } from '../../../canonical/failure.ts'
import { isContent, type ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { NamedValues } from '../../../kit/json/named-values.ts'
import { createUnreadableFailure } from '../../errors/create-unreadable-failure.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { readServedTier } from '../../served-tier.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorFields } from '../errors/read-error-fields.ts'
import { messageDeltaEventFields, messageDeltaFields, usageFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { hasOutput, joinUsage, readUsageSoFar } from '../values/read-usage.ts'
import { readStopReason } from '../values/stop-reason.ts'
import { BlockReader } from './block-reader.ts'
import { createExtras, readMessageExtras } from './read-message-extras.ts'

/** One event of a stream: its name, its fields, and the text of these fields. */
interface NamedEvent {
  readonly event: string | undefined
  readonly frame: JsonObject
  readonly data: string
}

const none: readonly ReplyEvent[] = []

/**
 * Reads the events of one answer (docs/build-with-claude/streaming, seen 2026-11-20). Pings and unknown events are
 * skipped. `read` never throws.
 */
export class ReplyReader {
  readonly #blocks = new BlockReader()
  #phase: 'before' | 'open' | 'finished' | 'over' = 'before'
  /** Whether the answer has content. A block that has only started has none. */
  #hasContent = false
  #usage: JsonObject = {}
  #statesOutput = false
  #choiceFields: JsonObject = {}
  readonly #endFields = new NamedValues()
  #serviceTier: ServedTier | undefined

  get isOver(): boolean {
    return this.#phase === 'over'
  }

  read(event: NamedEvent): readonly ReplyEvent[] {
    try {
      const events = this.#readEvent(event)
      if (!this.#hasContent) this.#hasContent = events.some(isContent)
      return events
    } catch (cause) {
      return this.fail(createUnreadableFailure(cause))
    }
  }

  /** Ends the answer when the stream ends. The answer is cut off if no stop reason arrived. */
  end(): readonly ReplyEvent[] {
    switch (this.#phase) {
      case 'over':
        return none
      case 'finished':
        return this.#endReply()
      default:
        return this.fail(createFailure('upstream_disconnected'))
    }
  }

  fail(failure: Failure): readonly ReplyEvent[] {
    this.#phase = 'over'
    return [{ type: 'failure', failure }]
  }

  #readEvent({ event, frame, data }: NamedEvent): readonly ReplyEvent[] {
    const fields = readErrorFields(event === 'error' ? { type: 'error', ...frame } : frame)
    if (fields !== undefined) return this.fail(createUpstreamFailure({ fields }))
    switch (frame['type'] ?? event) {
      case 'message_start':
        return this.#startMessage(frame['message'])
      case 'content_block_start':
        return this.#demandOpen().start(frame, data)
      case 'content_block_delta':
        return this.#demandOpen().delta(frame)
      case 'content_block_stop':
        return this.#phase === 'before' ? none : this.#blocks.stop(frame)
      case 'message_delta':
        return this.#readMessageDelta(frame)
      case 'message_stop':
        return this.#stopMessage()
      default:
        return none
    }
  }

  /** Returns the block reader. Throws `GatewayError` before the message's start and after its stop reason. */
  #demandOpen(): BlockReader {
    if (this.#phase === 'open') return this.#blocks
    throw new GatewayError('upstream_bad_response', {
      message: `its stream holds a block ${this.#phase === 'before' ? 'before its start' : 'after its end'}.`,
    })
  }

  #startMessage(value: JsonValue | undefined): readonly ReplyEvent[] {
    // A relay may repeat an event.
    if (this.#phase !== 'before') return none
    const message = isJsonObject(value) ? value : {}
    const { extras, choiceFields, serviceTier } = readMessageExtras(message)
    this.#phase = 'open'
    this.#choiceFields = choiceFields
    this.#usage = joinUsage({}, message['usage'])
    return [
      {
        type: 'reply-start',
        id: typeof message['id'] === 'string' ? message['id'] : '',
        model: typeof message['model'] === 'string' ? message['model'] : '',
        ...(serviceTier === undefined ? {} : { serviceTier }),
        ...(extras === undefined ? {} : { extras }),
      },
      ...this.#usageEvents(message['usage']),
    ]
  }

  #usageEvents(named: JsonValue | undefined): readonly ReplyEvent[] {
    const usage = isJsonObject(named) ? readUsageSoFar(this.#usage, this.#statesOutput) : undefined
    return usage === undefined ? none : [{ type: 'usage', usage }]
  }

  #readMessageDelta(frame: JsonObject): readonly ReplyEvent[] {
    if (this.#phase === 'before') throw new GatewayError('upstream_bad_response')
    const delta = isJsonObject(frame['delta']) ? frame['delta'] : {}
    const { stop_details: stopDetails, ...others } = delta
    if ((stopDetails ?? undefined) !== undefined) this.#choiceFields = { stop_details: stopDetails }
    this.#endFields.add(leftoversOf(others, messageDeltaFields))
    this.#endFields.add(this.#readEndFields(frame))
    if (hasOutput(frame['usage'])) this.#statesOutput = true
    const events = this.#usageEvents(frame['usage'])
    const { stopReason } = readStopReason(delta['stop_reason'])
    if (stopReason === undefined || this.#phase !== 'open') return events
    return [...events, ...this.#endChoice(delta)]
  }

  /** Reads the extra fields of the event and of its usage. Also adds the usage to the usage so far. */
  #readEndFields(frame: JsonObject): JsonObject {
    this.#usage = joinUsage(this.#usage, frame['usage'])
    const usage = isJsonObject(frame['usage']) ? frame['usage'] : {}
    this.#serviceTier = readServedTier('messages', usage['service_tier']) ?? this.#serviceTier
    const isMore = leftoversOf(usage, usageFields) !== undefined
    const leftovers = isMore ? leftoversOf(this.#usage, usageFields) : undefined
    return readExtras(frame, messageDeltaEventFields, { usage: leftovers }).extras?.fields ?? {}
  }

  #endChoice(delta: JsonObject): readonly ReplyEvent[] {
    const { stopReason, extraFields } = readStopReason(delta['stop_reason'])
    const stopSequence = delta['stop_sequence']
    this.#phase = 'finished'
    return [
      ...this.#blocks.endAll(),
      {
        type: 'choice-end',
        choice: 0,
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
        ...createExtras({ ...this.#choiceFields, ...extraFields }),
      },
    ]
  }

  #stopMessage(): readonly ReplyEvent[] {
    const isEmpty = this.#phase === 'open' && !this.#hasContent
    if (this.#phase === 'before' || isEmpty) return this.fail(createFailure('upstream_empty'))
    const ended = this.#phase === 'open' ? this.#endChoice({}) : none
    return [...ended, ...this.#endReply()]
  }

  #endReply(): readonly ReplyEvent[] {
    this.#phase = 'over'
    const serviceTier = this.#serviceTier
    return [
      {
        type: 'reply-end',
        ...(serviceTier === undefined ? {} : { serviceTier }),
        ...createExtras(this.#endFields.fields),
      },
    ]
  }
}
