import { refuseBlocks } from '../../../canonical/answer-size.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { NamedValues } from '../../../kit/json/named-values.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { createUnreadableFailure } from '../../errors/create-unreadable-failure.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { CallIds } from '../request/call-ids.ts'
import { toExtras } from '../values/extras.ts'
import { readTier } from '../values/read-tier.ts'
import { readUsage } from '../values/read-usage.ts'
import { SearchCounter } from '../values/search-counter.ts'
import { BlockReader } from './block-reader.ts'
import { moreUsageFields, responseFields, usageFields } from './reply-fields.ts'

const knownResponse = knownFields(responseFields)
const knownUsage = knownFields(usageFields, moreUsageFields)
const none: readonly ReplyEvent[] = []

/** The finish reason to assume if the provider blocks the prompt itself. */
const PROMPT_BLOCKED = 'SAFETY'

/** The maximum number of candidates. No caller asks for more. */
const MAX_CANDIDATES = 128

/**
 * Reads the chunks of one answer. A whole answer is one chunk. Each chunk holds parts and the token counts so far. The
 * last chunk of each candidate has its finish reason; an answer without a finish reason is a failure. A candidate ends
 * with the answer, since other servers state a finish reason before the last chunk, too.
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent, seen 2026-11-20. Never throws.
 */
export class ReplyReader {
  isOver = false
  #isStarted = false
  #events: ReplyEvent[] = []
  readonly #candidates: (BlockReader | undefined)[] = []
  readonly #callIds = new CallIds()
  #serviceTier: ServedTier | undefined
  readonly #searches = new SearchCounter()
  readonly #leftovers = new NamedValues()
  #usageLeftovers: JsonObject = {}

  read(chunk: JsonObject): readonly ReplyEvent[] {
    if (this.isOver) return none
    try {
      const failure = readErrorInAnswer(chunk) ?? refuseBlocks(countParts(chunk)) ?? this.#readChunk(chunk)
      return failure === undefined ? this.#flush() : this.fail(failure)
    } catch (cause) {
      return this.fail(createUnreadableFailure(cause))
    }
  }

  /** Ends the answer with a failure. Events of this chunk that precede the failure remain valid. */
  fail(failure: Failure): readonly ReplyEvent[] {
    this.isOver = true
    return [...this.#flush(), { type: 'failure', failure }]
  }

  /** Ends the answer when the stream ends. The answer is cut off if a candidate has no finish reason yet. */
  end(): readonly ReplyEvent[] {
    if (this.isOver) return none
    if (!this.#isStarted) return this.fail(createFailure('upstream_empty'))
    const isWhole =
      this.#candidates.length > 0 && this.#candidates.every((each) => each?.finishWord !== undefined)
    if (!isWhole) return this.fail(createFailure('upstream_disconnected'))
    this.isOver = true
    for (const candidate of this.#candidates) candidate?.finish()
    const usage = Object.keys(this.#usageLeftovers).length === 0 ? undefined : this.#usageLeftovers
    return [
      ...this.#flush(),
      omitUndefined({
        type: 'reply-end' as const,
        serviceTier: this.#serviceTier,
        ...toExtras(this.#leftovers.fields, { usageMetadata: usage }),
      }),
    ]
  }

  #readChunk(chunk: JsonObject): Failure | undefined {
    this.#start(chunk)
    const leftovers = leftoversOf(chunk, knownResponse)
    this.#leftovers.add(leftovers)
    const candidates = isJsonArray(chunk['candidates']) ? chunk['candidates'] : []
    for (const [position, candidate] of candidates.entries()) {
      if (!isJsonObject(candidate)) continue
      this.#searches.add(candidate)
      const failure = this.#candidateAt(candidate['index'] ?? position)?.read(candidate, chunk)
      if (failure === undefined) continue
      // A broken answer is billed as any other.
      this.#readUsage(chunk['usageMetadata'])
      return failure
    }
    if (candidates.length === 0 && isBlocked(chunk['promptFeedback'])) {
      const blocked = this.#candidateAt(0)
      if (blocked !== undefined) blocked.finishWord ??= PROMPT_BLOCKED
    }
    this.#readUsage(chunk['usageMetadata'])
    return undefined
  }

  #start({ responseId, modelVersion, createTime }: JsonObject): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#events.push(
      omitUndefined({
        type: 'reply-start' as const,
        id: typeof responseId === 'string' ? responseId : '',
        model: typeof modelVersion === 'string' ? modelVersion : '',
        createdAtSeconds: readTime(createTime),
      }),
    )
  }

  #candidateAt(index: JsonValue): BlockReader | undefined {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_CANDIDATES) {
      return undefined
    }
    const known = this.#candidates[index]
    if (known !== undefined) return known
    while (this.#candidates.length < index) this.#candidates.push(undefined)
    const reader = new BlockReader(index, this.#callIds, this.#events)
    this.#candidates[index] = reader
    return reader
  }

  #readUsage(value: JsonValue | undefined): void {
    if (!isJsonObject(value)) return
    const leftovers = leftoversOf(value, knownUsage)
    if (leftovers !== undefined) this.#usageLeftovers = leftovers
    this.#serviceTier = readTier(value) ?? this.#serviceTier
    const usage = readUsage(value, this.#searches.toolCalls)
    if (usage !== undefined) this.#events.push({ type: 'usage', usage })
  }

  #flush(): readonly ReplyEvent[] {
    // The candidates hold a reference to this array, so the array is emptied and not replaced.
    return this.#events.splice(0)
  }
}

/** Counts the parts that become a block each. Consecutive texts make one block. */
function countParts({ candidates }: JsonObject): number {
  let count = 0
  for (const candidate of isJsonArray(candidates) ? candidates : []) {
    const content = isJsonObject(candidate) ? candidate['content'] : undefined
    const parts = isJsonObject(content) ? content['parts'] : undefined
    for (const part of isJsonArray(parts) ? parts : [])
      if (isJsonObject(part) && part['text'] === undefined) count += 1
  }
  return count
}

function isBlocked(feedback: JsonValue | undefined): boolean {
  return isJsonObject(feedback) && feedback['blockReason'] !== undefined
}

function readTime(value: JsonValue | undefined): number | undefined {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) || atMs <= 0 ? undefined : Math.floor(atMs / 1000)
}
