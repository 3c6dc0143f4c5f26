import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { FrameInspection, StreamWatcher } from '../../watched-reply.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { readTier } from '../values/read-tier.ts'
import { readUsage } from '../values/read-usage.ts'
import { SearchCounter } from '../values/search-counter.ts'
import { findAbnormalEnd, finishWordOf } from '../values/stop-reason.ts'

const content: FrameInspection = { hasContent: true, isUsageOnly: false }
const nothing: FrameInspection = { hasContent: false, isUsageOnly: false }

/** The maximum number of candidates to track. All candidates beyond it are tracked as one. */
const MAX_CANDIDATES = 128

/** Watches a stream that passes through byte for byte. Parses each frame once and reads few of its fields. */
export function createStreamWatcher(): StreamWatcher {
  return new GeminiStreamWatcher()
}

class GeminiStreamWatcher implements StreamWatcher {
  /** The format has no terminator: other candidates, or counts, may follow any chunk. */
  readonly isTerminated = false
  shownCharacters = 0
  servedTier: ServedTier | undefined
  /** Whether each candidate, by index, has its finish reason. */
  readonly #ended: boolean[] = []
  readonly #searches = new SearchCounter()
  #counted: JsonObject | undefined

  get hasStopReason(): boolean {
    return this.#ended.length > 0 && !this.#ended.includes(false)
  }

  get usage(): Usage | undefined {
    return readUsage(this.#counted, this.#searches.toolCalls)
  }

  inspect(frame: SseFrame): FrameInspection {
    const { data } = frame
    const failure = data === undefined || frame.event !== undefined ? readErrorFrame(frame) : undefined
    if (failure !== undefined) return failed(failure)
    const text = data?.trim() ?? ''
    if (text === '' || text === '[DONE]') return nothing
    const chunk = tryParsePlainJson(text)
    return isJsonObject(chunk) ? this.#inspectChunk(chunk) : failed(createFailure('upstream_bad_response'))
  }

  #inspectChunk(chunk: JsonObject): FrameInspection {
    const { usageMetadata, promptFeedback } = chunk
    const failure = readErrorInAnswer(chunk)
    if (failure !== undefined) return failed(failure)
    this.servedTier = readTier(usageMetadata) ?? this.servedTier
    if (readUsage(usageMetadata) !== undefined && isJsonObject(usageMetadata)) this.#counted = usageMetadata
    const candidates = isJsonArray(chunk['candidates']) ? chunk['candidates'] : []
    let isShown = false
    for (const [position, candidate] of candidates.entries()) {
      if (!isJsonObject(candidate)) continue
      this.#searches.add(candidate)
      const broken = findAbnormalEnd(candidate)
      if (broken !== undefined) return failed(broken)
      if (this.#inspectCandidate(candidate, position)) isShown = true
    }
    const isRefused =
      candidates.length === 0 && isJsonObject(promptFeedback) && 'blockReason' in promptFeedback
    if (isRefused) this.#ended[0] = true
    return isShown || isRefused ? content : nothing
  }

  #inspectCandidate(candidate: JsonObject, position: number): boolean {
    const index = Math.min(
      typeof candidate['index'] === 'number' ? candidate['index'] : position,
      MAX_CANDIDATES,
    )
    const isEnd = finishWordOf(candidate['finishReason']) !== undefined
    for (let before = this.#ended.length; before <= index; before += 1) this.#ended.push(false)
    if (isEnd && index >= 0) this.#ended[index] = true
    this.shownCharacters += lengthOf(candidate['content'])
    return isEnd || hasParts(candidate['content'])
  }
}

/** Whether a content has a part with content. Parts with empty text do not count. */
function hasParts(value: JsonValue | undefined): boolean {
  const parts = isJsonObject(value) ? value['parts'] : undefined
  return isJsonArray(parts) && parts.some((part) => isJsonObject(part) && part['text'] !== '')
}

function lengthOf(value: JsonValue | undefined): number {
  const parts = isJsonObject(value) ? value['parts'] : undefined
  let length = 0
  for (const part of isJsonArray(parts) ? parts : []) {
    if (isJsonObject(part) && typeof part['text'] === 'string') length += part['text'].length
  }
  return length
}

function failed(failure: Failure): FrameInspection {
  return { hasContent: false, isUsageOnly: false, failure }
}
