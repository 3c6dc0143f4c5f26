import { type RerankDocument, type RerankResult, SEARCH_UNIT } from '../../../canonical/operations/rerank.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AddCost, AnsweredRerank } from '../../rerank-format.ts'

/**
 * Writes one answer that clients of Cohere, Jina and Voyage read: results under `results` and, for Voyage's, under
 * `data`; what was used under `usage` and, for Cohere's, under `meta`. Documents come from the request, since not every
 * provider sends them back.
 */
export function writeReply({ shown, reply, id, model }: AnsweredRerank, addCost: AddCost): string {
  const { results, data } = writeResults(reply.results.slice(0, shown.topN), shown.documents)
  const names = JSON.stringify({ id: reply.id ?? id, object: 'list', model: reply.model ?? model })
  const usage = reply.usage === undefined ? '' : JSON.stringify(addCost(writeUsage(reply.usage)))
  const rest = usage === '' ? '}' : `,${usage.slice(1)}`
  return `${names.slice(0, -1)},"results":${results},"data":${data}${rest}`
}

/** Both lists as JSON. */
interface WrittenResults {
  readonly results: string
  readonly data: string
}

function writeResults(
  shown: readonly RerankResult[],
  documents: readonly RerankDocument[] | undefined,
): WrittenResults {
  const scores = shown.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore }))
  if (documents === undefined) {
    const written = JSON.stringify(scores)
    return { results: written, data: written }
  }
  const withDocuments = (write: (document: RerankDocument) => JsonValue) =>
    JSON.stringify(
      scores.map((score) => {
        const document = documents[score.index]
        return document === undefined ? score : { ...score, document: write(document) }
      }),
    )
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
