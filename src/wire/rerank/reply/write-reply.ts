import {
  type RerankDocument,
  type RerankReply,
  type RerankResult,
  SEARCH_UNIT,
} from '../../../canonical/operations/rerank.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AddCost, AnsweredRerank, ShownResults } from '../../operations/rerank-format.ts'
import { findOnlyList } from './find-only-list.ts'

/**
 * Writes one answer that the clients of Cohere, Jina and Voyage can read. Results are in `results` and, for Voyage's
 * clients, in `data`. Usage is in `usage` and, for Cohere's clients, in `meta`. Documents come from the request, since
 * not every provider returns them.
 */
export function writeReply(
  { shown, reply, answer, id, model }: AnsweredRerank,
  addCost: AddCost,
): string | Buffer {
  const { results, data } = writeResults(reply, shown, answer)
  const names = JSON.stringify({ id: reply.id ?? id, object: 'list', model: reply.model ?? model })
  const usage = reply.usage === undefined ? '' : JSON.stringify(addCost(writeUsage(reply.usage)))
  const start = `${names.slice(0, -1)},"results":`
  const rest = usage === '' ? '}' : `,${usage.slice(1)}`
  if (typeof results === 'string') return `${start}${results},"data":${data}${rest}`
  return Buffer.concat([Buffer.from(start), results, nextList, results, Buffer.from(rest)])
}

const nextList = Buffer.from(',"data":')

/** Both lists as JSON: two texts, or the provider's own bytes for both lists. */
type WrittenResults =
  | { readonly results: string; readonly data: string }
  | { readonly results: Buffer; readonly data: undefined }

function writeResults(
  { resultCount, listResults, isInOrder }: RerankReply,
  { topN = resultCount, documents }: ShownResults,
  answer: Buffer,
): WrittenResults {
  if (documents === undefined) {
    const isWhole = isInOrder && topN >= resultCount
    const own = isWhole ? bytesOfList(answer, resultCount) : undefined
    if (own !== undefined) return { results: own, data: undefined }
    const written = JSON.stringify(scoresOf(listResults(), topN))
    return { results: written, data: written }
  }
  const scores = scoresOf(listResults(), topN)
  const withDocuments = (write: (document: RerankDocument) => JsonValue) =>
    JSON.stringify(
      scores.map((score) => {
        const document = documents[score.index]
        return document === undefined ? score : { ...score, document: write(document) }
      }),
    )
  // Voyage's client expects a document as plain text.
  return { results: withDocuments(writeDocument), data: withDocuments(writeText) }
}

function scoresOf(results: readonly RerankResult[], topN: number) {
  return results
    .slice(0, topN)
    .map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore }))
}

/** The maximum bytes per result. A longer list is mostly whitespace, and callers would receive it twice. */
const MAX_RESULT_BYTES = 128

/** The bytes of an answer's list, sent unchanged: writing the numbers again costs more than the rest of an answer. */
function bytesOfList(answer: Buffer, results: number): Buffer | undefined {
  const list = findOnlyList(answer)
  return list === undefined || list.end - list.start > results * MAX_RESULT_BYTES
    ? undefined
    : answer.subarray(list.start, list.end)
}

function writeText(document: RerankDocument): JsonValue {
  return document.text ?? writeDocument(document)
}

function writeDocument(document: RerankDocument): JsonObject {
  return document.type === 'text' ? { text: document.text } : document.value
}

function writeUsage(usage: Usage): JsonObject {
  const tokens = inputTokensOf(usage)
  const units = usage.toolCalls[SEARCH_UNIT]
  const billed = units === undefined ? { input_tokens: tokens } : { search_units: units }
  return {
    usage: omitUndefined({ total_tokens: tokens, search_units: units }),
    meta: { billed_units: billed },
  }
}
