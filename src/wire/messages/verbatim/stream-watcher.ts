import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readServedTier } from '../../served-tier.ts'
import type { FrameInspection, StreamWatcher } from '../../watched-reply.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorFields } from '../errors/read-error-fields.ts'
import { hasOutput, joinUsage, readUsageSoFar } from '../values/read-usage.ts'

const content: FrameInspection = { hasContent: true, isUsageOnly: false }
const nothing: FrameInspection = { hasContent: false, isUsageOnly: false }

/** Watches a stream that passes through byte for byte. Parses each frame once and reads few of its fields. */
export function createStreamWatcher(): StreamWatcher {
  return new MessagesStreamWatcher()
}

class MessagesStreamWatcher implements StreamWatcher {
  hasStopReason = false
  isTerminated = false
  shownCharacters = 0
  /** The upstream's token counts so far, which are read on demand. */
  #counted: JsonObject | undefined
  #statesOutput = false
  /** Whether each block, by index, is open: started and not ended. */
  readonly #open: boolean[] = []

  inspect(frame: SseFrame): FrameInspection {
    if (this.isTerminated) return nothing
    if (frame.data !== undefined && frame.data !== '') return this.#inspectData(frame.data, frame.event)
    return frame.event === 'error' ? failed(createUpstreamFailure({ fields: {} })) : nothing
  }

  get usage(): Usage | undefined {
    return readUsageSoFar(this.#counted, this.#statesOutput)
  }

  get servedTier(): ServedTier | undefined {
    return readServedTier('messages', this.#counted?.['service_tier'])
  }

  #inspectData(data: string, event: SseFrame['event']): FrameInspection {
    const frame = tryParsePlainJson(data)
    if (!isJsonObject(frame)) {
      return data.trim() === '[DONE]' ? nothing : failed(createFailure('upstream_bad_response'))
    }
    switch (frame['type']) {
      case 'content_block_delta':
        return this.#inspectDelta(frame)
      case 'content_block_start':
        this.#open[indexOf(frame)] = true
        return isFilled(frame['content_block']) ? content : nothing
      case 'content_block_stop':
        this.#open[indexOf(frame)] = false
        return nothing
      case 'message_start':
        return this.#inspectStart(frame)
      case 'message_delta':
        return this.#inspectMessageDelta(frame)
      case 'message_stop':
        this.isTerminated = true
        return nothing
      default: {
        // Clients that look only at the event's name would treat the answer as complete.
        if (event === 'message_stop') return failed(createFailure('upstream_bad_response'))
        const fields = readErrorFields(event === 'error' ? { type: 'error', ...frame } : frame)
        return fields === undefined ? nothing : failed(createUpstreamFailure({ fields }))
      }
    }
  }

  /** A delta is invalid if its block has ended, or if its block never started although other blocks did. */
  #inspectDelta(frame: JsonObject): FrameInspection {
    const isLost = this.#open.length > 0 && this.#open[indexOf(frame)] !== true
    if (isLost) return failed(createFailure('upstream_bad_response'))
    const { delta } = frame
    if (!isFilled(delta)) return nothing
    this.shownCharacters += lengthOf(delta)
    return content
  }

  #inspectStart({ message }: JsonObject): FrameInspection {
    if (!isJsonObject(message)) return nothing
    if (isJsonObject(message['usage'])) this.#counted = joinUsage(this.#counted ?? {}, message['usage'])
    return nothing
  }

  #inspectMessageDelta({ delta, usage }: JsonObject): FrameInspection {
    if (isJsonObject(usage)) this.#counted = joinUsage(this.#counted ?? {}, usage)
    if (hasOutput(usage)) this.#statesOutput = true
    if (!isJsonObject(delta) || typeof delta['stop_reason'] !== 'string') return nothing
    this.hasStopReason = true
    return content
  }
}

function lengthOf(delta: JsonValue | undefined): number {
  if (!isJsonObject(delta)) return 0
  const words = delta['text'] ?? delta['thinking'] ?? delta['partial_json']
  return typeof words === 'string' ? words.length : 0
}

/** The maximum number of blocks to track. No answer has more; blocks beyond it are tracked as one. */
const MAX_BLOCKS = 4_096

function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? Math.min(index, MAX_BLOCKS) : 0
}

/** Whether a block or a delta has content. Text and thinking start empty; other kinds do not. */
function isFilled(part: JsonValue | undefined): boolean {
  if (!isJsonObject(part)) return false
  switch (part['type']) {
    case 'text':
    case 'text_delta':
      return part['text'] !== ''
    case 'thinking':
    case 'thinking_delta':
      return part['thinking'] !== ''
    case 'input_json_delta':
      return part['partial_json'] !== ''
    default:
      return true
  }
}

function failed(failure: Failure): FrameInspection {
  return { hasContent: false, isUsageOnly: false, failure }
}
