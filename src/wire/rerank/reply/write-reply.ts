import { type RerankDocument, type RerankResult, SEARCH_UNIT } from '../../../canonical/operations/rerank.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AnsweredRerank } from '../../rerank-format.ts'

/**
 * Writes one answer that clients of Cohere, Jina and Voyage read: results under `results` and, for Voyage's, under
 * `data`; what was used under `usage` and, for Cohere's, under `meta`. Documents come from the request, since not every
 * provider sends them back.
 */
export function writeReply({ request, reply, id, model }: AnsweredRerank): JsonObject {
  const shown = reply.results.slice(0, request.topN)
  const written = writeResults(shown, request)
  return {
    id: reply.id ?? id,
    object: 'list',
    model: reply.model ?? model,
    results: written.results,
    data: written.data,
    ...(reply.usage === undefined ? {} : writeUsage(reply.usage)),
  }
}

interface WrittenResults {
  readonly results: readonly JsonObject[]
  readonly data: readonly JsonObject[]
}

function writeResults(
  shown: readonly RerankResult[],
  { documents, returnDocuments }: AnsweredRerank['request'],
): WrittenResults {
  const scores = shown.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore }))
  if (returnDocuments !== true) return { results: scores, data: scores }
  const withDocuments = (write: (document: RerankDocument) => JsonValue) =>
    scores.map((score) => {
      const document = documents[score.index]
      return document === undefined ? score : { ...score, document: write(document) }
    })
  // Voyage's client takes a document as its text.
  return { results: withDocuments(writeDocument), data: withDocuments(writeText) }
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
