import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../kit/json/json.ts'
import { countTokens } from './demo-answer.ts'
import { embedText } from './demo-embedding.ts'
import { DemoError } from './demo-error.ts'
import { demoChatModel, demoEmbeddingModel, readCount, requireModel } from './demo-request.ts'

const DIMENSIONS = 256

/** Answers a rerank request, by the words that documents share with the query. Throws `DemoError`. */
export function answerRerank(body: JsonObject): JsonObject {
  requireModel(body, demoEmbeddingModel)
  const { query, documents } = body
  if (typeof query !== 'string') throw new DemoError(400, 'query must be a text.', { param: 'query' })
  if (!isJsonArray(documents) || documents.length === 0)
    throw new DemoError(400, 'documents must be a list that is not empty.', { param: 'documents' })
  const queryVector = embedText(query, DIMENSIONS)
  const texts = documents.map(textOf)
  const results = texts
    .map((text, index) => ({ index, relevance_score: similarity(queryVector, embedText(text, DIMENSIONS)) }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
  const tokens = countTokens([query, ...texts])
  return {
    model: demoEmbeddingModel,
    object: 'list',
    usage: { total_tokens: tokens },
    results: results.slice(0, readCount(body, 'top_n')),
  }
}

function textOf(document: JsonValue): string {
  if (typeof document === 'string') return document
  const text = isJsonObject(document) ? document['text'] : undefined
  return typeof text === 'string' ? text : JSON.stringify(document)
}

/** The similarity of two texts, between 0 and 1. */
function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (const [index, value] of one.entries()) sum += value * (other[index] ?? 0)
  return Math.round(((sum + 1) / 2) * 10_000) / 10_000
}

const harsh = /\b(?:kill|hurt|attack|hate)\w*/i

/** Answers a moderation. A text with one of a few words is flagged. Throws `DemoError`. */
export function answerModeration(body: JsonObject): JsonObject {
  requireModel({ model: demoChatModel, ...body }, demoChatModel)
  const { input } = body
  const inputs = isJsonArray(input) ? input : [input]
  if (input === undefined) throw new DemoError(400, 'input is missing.', { param: 'input' })
  const results = inputs.map((each) => {
    const flagged = harsh.test(typeof each === 'string' ? each : JSON.stringify(each))
    return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 0.9 : 0.01 } }
  })
  return { id: 'modr-demo', model: demoChatModel, results }
}
