import type { ErrorCode } from '../../../canonical/error-table.ts'
import { createFailure } from '../../../canonical/failure.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import { readServedTier } from '../../served-tier.ts'
import type { FrameInspection, StreamWatcher } from '../../watched-reply.ts'
import { abnormalEnds } from '../values/abnormal-ends.ts'
import { findUsage, readUsage, statesNumbers } from '../values/read-usage.ts'

/**
 * The maximum number of choices. No server gives as many to one request, even with several prompts. All choices beyond
 * this number share one index.
 */
const MAX_CHOICES = 4_096

const nothing: FrameInspection = { hasContent: false, isUsageOnly: false }
const content: FrameInspection = { hasContent: true, isUsageOnly: false }
const usageOnly: FrameInspection = { hasContent: false, isUsageOnly: true }
const foreign: FrameInspection = { hasContent: false, isUsageOnly: false, isForeign: true }

/** Counts the characters of a chunk's choice that the caller sees, without the finish reason. */
export type ShowsWords = (choice: JsonObject) => number

/**
 * Watches a stream of chunks with choices that is forwarded byte for byte. Each frame is parsed once, and only a few of
 * its fields are read.
 */
export function createChunkWatcher(showsWords: ShowsWords): StreamWatcher {
  return new ChunkWatcher(showsWords)
}

class ChunkWatcher implements StreamWatcher {
  isTerminated = false
  shownCharacters = 0
  servedTier: ServedTier | undefined
  readonly #showsWords: ShowsWords
  /** Whether each answer, by its index, has ended. */
  readonly #ended: boolean[] = []
  /** The usage object of the last chunk that had one with numbers; it is parsed on demand. */
  #counted: JsonObject | undefined
  #tierWord: string | undefined
  /** The error for the reason with which the service aborted the answer, if it did. */
  #abnormalEnd: ErrorCode | undefined

  constructor(showsWords: ShowsWords) {
    this.#showsWords = showsWords
  }

  inspect(frame: SseFrame): FrameInspection {
    const { data } = frame
    const failure = data === undefined || frame.event === 'error' ? readErrorFrame(frame) : undefined
    if (failure !== undefined) return { ...nothing, failure }
    const text = data?.trim() ?? ''
    if (text === '') return nothing
    if (text === '[DONE]') {
      this.isTerminated = true
      // Clients expect `[DONE]` at the beginning of the data. After a space they would parse it as a broken chunk.
      return data?.startsWith(text) === true ? nothing : foreign
    }
    const chunk = parseChunk(text)
    if (chunk === undefined) return { ...nothing, failure: createFailure('upstream_bad_response') }
    return this.#inspectChunk(chunk, frame.event)
  }

  /** One answer may end long before the others. Indices that never appeared are skipped. */
  get hasStopReason(): boolean {
    return this.#abnormalEnd === undefined && this.#ended.length > 0 && this.#ended.every(Boolean)
  }

  get usage(): Usage | undefined {
    return readUsage(this.#counted)
  }

  #inspectChunk(chunk: JsonObject, event: SseFrame['event']): FrameInspection {
    const { choices, usage, service_tier: tier } = chunk
    const failure =
      isJsonArray(choices) && chunk['error'] === undefined ? undefined : readErrorInAnswer(chunk)
    if (failure !== undefined) return { ...nothing, failure }
    // Services that report a tier repeat it in each chunk.
    if (typeof tier === 'string' && tier !== this.#tierWord) {
      this.#tierWord = tier
      this.servedTier = readServedTier('chat', tier)
    }
    const counted = findUsage(chunk)
    if (counted !== undefined && (this.#counted === undefined || statesNumbers(counted)))
      this.#counted = counted
    // The format has no event names. Its client parses every event as a chunk and reads its choices.
    if (!isJsonArray(choices)) return (event ?? '') === '' || counted !== undefined ? nothing : foreign
    if (choices.length === 0) return isJsonObject(usage) && !hasMore(chunk) ? usageOnly : nothing
    let showsContent = false
    for (const choice of choices) {
      if (isJsonObject(choice) && this.#inspectChoice(choice)) showsContent = true
    }
    if (this.#abnormalEnd !== undefined) return { ...nothing, failure: createFailure(this.#abnormalEnd) }
    return showsContent ? content : nothing
  }

  #inspectChoice(choice: JsonObject): boolean {
    const { finish_reason: reason } = choice
    const isFinished = reason !== undefined && reason !== null && reason !== ''
    const index = indexOf(choice)
    if (isFinished) this.#abnormalEnd ??= abnormalEnds.get(reason)
    if (isFinished || this.#ended[index] === undefined) this.#ended[index] = isFinished
    const shown = this.#showsWords(choice)
    this.shownCharacters += shown
    return isFinished || shown > 0
  }
}

function parseChunk(text: string): JsonObject | undefined {
  const chunk = tryParsePlainJson(text)
  return isJsonObject(chunk) ? chunk : undefined
}

/** Fields for the caller that servers send along with usage. A chunk with such a field is not only usage. */
const visibleFields = [
  'moderation',
  'prompt_filter_results',
  'citations',
  'search_results',
  'images',
] as const

function hasMore(chunk: JsonObject): boolean {
  return visibleFields.some((name) => (chunk[name] ?? null) !== null)
}

function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? Math.min(index, MAX_CHOICES) : 0
}
