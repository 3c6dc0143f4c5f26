import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { createUnreadableFailure } from '../../errors/create-unreadable-failure.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readServedTier } from '../../served-tier.ts'
import { readEventFailure } from '../errors/read-error.ts'
import { replyFields, vendorReplyFields } from '../request/request-fields.ts'
import { toExtras } from '../values/extras.ts'
import { readUsage } from '../values/read-usage.ts'
import { readStopReason } from '../values/stop-reason.ts'
import { BlockReader } from './block-reader.ts'
import { statesEnd } from './failed-response.ts'
import { readLogprobs } from './read-logprobs.ts'

const reply = knownFields(replyFields, vendorReplyFields)
const none: readonly ReplyEvent[] = []

/**
 * Reads the events of one answer (https://platform.openai.com/docs/api-reference/responses-streaming, seen 2026-11-20).
 * Unknown events are skipped, since opaque items arrive whole in their end events. `take` never throws.
 */
export class ReplyReader {
  isOver = false
  #isStarted = false
  readonly #blocks = new BlockReader()

  read(event: JsonObject): readonly ReplyEvent[] {
    if (this.isOver) return none
    try {
      const failure = readEventFailure(event)
      return failure === undefined ? this.#readEvent(event) : this.#failEvent(event, failure)
    } catch (cause) {
      return this.fail(createUnreadableFailure(cause))
    }
  }

  /** Reads a whole answer as a stream with only the final event. */
  *readWhole(response: JsonObject): Steps<readonly ReplyEvent[]> {
    try {
      const failure = readEventFailure({ type: 'response.completed', response })
      return failure === undefined ? yield* this.#finish(response) : this.fail(failure)
    } catch (cause) {
      return this.fail(createUnreadableFailure(cause))
    }
  }

  fail(failure: Failure): readonly ReplyEvent[] {
    this.isOver = true
    return [{ type: 'failure', failure }]
  }

  /** Ends the answer with the failure that an event states, after the usage up to it if the event states that, too. */
  #failEvent({ response }: JsonObject, failure: Failure): readonly ReplyEvent[] {
    const usage = isJsonObject(response) ? readUsage(response) : undefined
    if (!isJsonObject(response) || usage === undefined) return this.fail(failure)
    return [...this.#start(response), { type: 'usage', usage }, ...this.fail(failure)]
  }

  #readEvent(event: JsonObject): readonly ReplyEvent[] {
    const { type, response } = event
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#start(isJsonObject(response) ? response : {})
      case 'response.completed':
      case 'response.incomplete':
        return runToEnd(this.#finish(isJsonObject(response) ? response : {}))
      default: {
        const read = this.#blocks.read(event)
        return read.length === 0 || this.#isStarted ? read : [...this.#start({}), ...read]
      }
    }
  }

  #start(response: JsonObject): readonly ReplyEvent[] {
    if (this.#isStarted) return none
    this.#isStarted = true
    const { id, model, created_at: created } = response
    return [
      omitUndefined({
        type: 'reply-start' as const,
        id: typeof id === 'string' ? id : '',
        model: typeof model === 'string' ? model : '',
        createdAtSeconds: typeof created === 'number' && created > 0 ? created : undefined,
      }),
    ]
  }

  *#finish(response: JsonObject): Steps<readonly ReplyEvent[]> {
    const started = this.#start(response)
    const output = isJsonArray(response['output']) ? response['output'] : []
    const items = yield* this.#blocks.finish(output)
    if (!this.#blocks.hasBlocks && output.length === 0 && !statesEnd(response))
      return this.fail(createFailure('upstream_empty'))
    this.isOver = true
    const { stopReason, extraFields } = readStopReason(response, this.#blocks.inspection)
    const ofOutput = output.flatMap(readLogprobs)
    const ofItems = this.#blocks.logprobs
    const logprobs = ofOutput.length >= ofItems.length ? ofOutput : ofItems
    const usage = readUsage(response)
    return [
      ...started,
      ...items,
      ...(logprobs.length === 0
        ? none
        : [{ type: 'logprobs-delta' as const, choice: 0, logprobs: { content: logprobs } }]),
      { type: 'choice-end', choice: 0, stopReason, ...toExtras(extraFields) },
      ...(usage === undefined ? none : [{ type: 'usage' as const, usage }]),
      omitUndefined({
        type: 'reply-end' as const,
        serviceTier: readServedTier('responses', response['service_tier']),
        ...toExtras(leftoversOf(response, reply)),
      }),
    ]
  }
}
