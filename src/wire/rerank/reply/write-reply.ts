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
  return {
    id: reply.id ?? id,
    object: 'list',
    model: reply.model ?? model,
    results: shown.map((result) => writeResult(result, request, writeDocument)),
    // Voyage's client takes a document as its text.
    data: shown.map((result) => writeResult(result, request, writeText)),
    ...(reply.usage === undefined ? {} : writeUsage(reply.usage)),
  }
}

function writeResult(
  { index, relevanceScore }: RerankResult,
  { documents, returnDocuments }: AnsweredRerank['request'],
  write: (document: RerankDocument) => JsonValue,
): JsonObject {
  const document = returnDocuments === true ? documents[index] : undefined
  return omitUndefined({ index, relevance_score: relevanceScore, document: document && write(document) })
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
