import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readEndFailure, readEventFailure } from '../errors/read-error.ts'
import { toExtras } from '../values/extras.ts'
import { readUsage } from '../values/read-usage.ts'
import { readStopReason } from '../values/stop-reason.ts'
import { BlockReader } from './block-reader.ts'

const none: readonly ReplyEvent[] = []

/**
 * Reads the events of one answer (https://docs.cohere.com/docs/streaming, seen 2026-11-20). Unknown events are skipped.
 * `read` never throws.
 */
export class ReplyReader {
  isOver = false
  #isStarted = false
  readonly #events: ReplyEvent[] = []
  readonly #blocks = new BlockReader(this.#events)

  read(event: JsonObject): readonly ReplyEvent[] {
    if (this.isOver) return none
    const failure = readEventFailure(event)
    if (failure !== undefined) return this.fail(failure)
    this.#readEvent(event)
    // The block reader holds a reference to this array, so the array is emptied and not replaced.
    return this.#events.splice(0)
  }

  fail(failure: Failure): readonly ReplyEvent[] {
    this.isOver = true
    return [{ type: 'failure', failure }]
  }

  #readEvent(event: JsonObject): void {
    const { type, index, id } = event
    const delta = objectIn(event['delta'])
    const message = objectIn(delta['message'])
    switch (type) {
      case 'message-start':
        this.#start(id)
        return
      case 'content-start':
      case 'content-delta':
        this.#begun().growContent(index, objectIn(message['content']))
        return
      case 'tool-plan-delta':
        if (typeof message['tool_plan'] === 'string') this.#begun().growPlan(message['tool_plan'])
        return
      case 'tool-call-start':
        this.#begun().startCall(index, objectIn(message['tool_calls']))
        return
      case 'tool-call-delta':
        this.#blocks.growCall(index, objectIn(message['tool_calls']))
        return
      case 'tool-call-end':
        this.#blocks.endCall(index)
        return
      case 'citation-start':
        this.#blocks.cite(objectIn(message['citations']))
        return
      case 'message-end':
        this.#finish(id, delta)
        return
      default:
    }
  }

  #start(id: JsonValue | undefined): void {
    if (this.#isStarted) return
    this.#isStarted = true
    // The provider does not name the model that answered.
    this.#events.push({ type: 'reply-start', id: typeof id === 'string' ? id : '', model: '' })
  }

  /** Returns the block reader. Starts the answer first if needed, since some servers leave out the start event. */
  #begun(): BlockReader {
    this.#start(undefined)
    return this.#blocks
  }

  #finish(id: JsonValue | undefined, end: JsonObject): void {
    this.#start(id)
    this.#blocks.endAll()
    this.isOver = true
    const { stopReason, extraFields } = readStopReason(end, this.#blocks.hasCalls)
    const failure = readEndFailure(end) ?? this.#findSilence(stopReason)
    if (failure === undefined) {
      this.#events.push(
        omitUndefined({ type: 'choice-end' as const, choice: 0, stopReason, ...toExtras(extraFields) }),
      )
    }
    const usage = readUsage(end['usage'])
    // A failed answer is billed as any other.
    if (usage !== undefined) this.#events.push({ type: 'usage', usage })
    this.#events.push(failure === undefined ? { type: 'reply-end' } : { type: 'failure', failure })
  }

  /** An answer without content and without a finish reason is empty. */
  #findSilence(stopReason: unknown): Failure | undefined {
    const isSilent = this.#blocks.blockCount === 0 && stopReason === undefined
    return isSilent ? createFailure('upstream_empty') : undefined
  }
}

const empty: JsonObject = {}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : empty
}
