import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { type RerankReply, type RerankResult, SEARCH_UNIT } from '../../../canonical/operations/rerank.ts'
import { boundCount, noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'

/**
 * Reads an answer of Cohere, Jina, Voyage or a compatible server: a list of results named `results` or `data`. Never
 * throws: any other answer is a failure, and so is a result with the index of no document.
 */
export function readReply(body: JsonValue, documents: number): RerankReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const list = body['results'] ?? body['data']
  if (!isJsonArray(list)) return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  const seen = new Uint8Array(documents)
  let isInOrder = true
  let isPlain = true
  let last = Number.POSITIVE_INFINITY
  for (const item of list) {
    const index = isJsonObject(item) ? indexIn(item) : undefined
    const score = isJsonObject(item) ? scoreIn(item) : undefined
    if (index === undefined || score === undefined || seen[index] !== 0)
      return createFailure('upstream_bad_response')
    seen[index] = 1
    isPlain &&= isPlainResult(item)
    isInOrder &&= score <= last
    last = score
  }
  return {
    ...describeReply(body),
    resultCount: list.length,
    // Lazy: if the provider's own list can be sent, this list is never needed.
    listResults: () => listResultsOf(list),
    isInOrder: isInOrder && isPlain,
  }
}

/** Reads the parts of a reply besides its list. */
export function describeReply(body: JsonObject): Pick<RerankReply, 'id' | 'model' | 'usage'> {
  return { id: textOf(body['id']), model: textOf(body['model']), usage: readUsage(body) }
}

/** Reads the results of a list. The best result comes first. */
export function listResultsOf(list: JsonValue | undefined): readonly RerankResult[] {
  return isJsonArray(list) ? list.flatMap(readResult).toSorted(compareScores) : []
}

/** Compares two results, so that the best comes first in a sorted list. */
function compareScores(one: RerankResult, other: RerankResult): number {
  return other.relevanceScore - one.relevanceScore
}

function readResult(item: JsonValue): readonly RerankResult[] {
  if (!isJsonObject(item)) return []
  const [index, relevanceScore] = [indexIn(item), scoreIn(item)]
  return index === undefined || relevanceScore === undefined ? [] : [{ index, relevanceScore }]
}

function indexIn({ index }: JsonObject): number | undefined {
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : undefined
}

function scoreIn(item: JsonObject): number | undefined {
  const score = item['relevance_score'] ?? item['score']
  return typeof score === 'number' ? score : undefined
}

/** Whether a result has exactly the fields that callers read, under the same names. */
function isPlainResult(item: JsonValue): boolean {
  if (!isJsonObject(item) || item['relevance_score'] === undefined) return false
  let fields = 0
  // A list of the names would allocate an array for each result.
  for (const _name in item) fields += 1
  return fields === 2
}

/** Cohere bills search units, or tokens in `meta.billed_units.input_tokens`. All others report `usage.total_tokens`. */
function readUsage({ meta, usage }: JsonObject): Usage | undefined {
  const billed = isJsonObject(meta) ? meta['billed_units'] : undefined
  if (isJsonObject(billed)) {
    const units = countOf(billed['search_units'])
    if (units !== undefined) return { ...noUsage, toolCalls: { [SEARCH_UNIT]: units } }
    const tokens = countOf(billed['input_tokens']) ?? countOf(billed['total_tokens'])
    if (tokens !== undefined) return { ...noUsage, freshInputTokens: tokens }
  }
  if (!isJsonObject(usage)) return undefined
  const units = countOf(usage['search_units'])
  const tokens = countOf(usage['total_tokens']) ?? countOf(usage['prompt_tokens'])
  if (units === undefined && tokens === undefined) return undefined
  const toolCalls = units === undefined ? {} : { [SEARCH_UNIT]: units }
  return { ...noUsage, freshInputTokens: tokens ?? 0, toolCalls }
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? boundCount(value) : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
