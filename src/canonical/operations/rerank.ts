import type { JsonObject } from '../../kit/json/json.ts'
import { noUsage, type Usage } from '../usage.ts'

/** A document to rank: a text, or an object with one field as its text. */
export type RerankDocument =
  | { readonly type: 'text'; readonly text: string }
  /** `value` is the caller's object, unchanged. `text` is its text, where it has one. */
  | { readonly type: 'object'; readonly text: string | undefined; readonly value: JsonObject }

/**
 * A request to order documents by how well they answer a query. An absent field means that the caller did not send
 * it.
 */
export interface RerankRequest {
  /** The public name that the caller asked for. */
  readonly model: string
  readonly query: string
  /** The documents, at least one. */
  readonly documents: readonly RerankDocument[]
  /** The limit of results that the caller wants. */
  readonly topN?: number
  /** Whether the results contain their documents. */
  readonly returnDocuments?: boolean
  readonly maxTokensPerDocument?: number
  /** Whether a document that is too long is cut. False refuses such a document. */
  readonly truncation?: boolean
}

export interface RerankResult {
  /** The position of the document in the request. */
  readonly index: number
  readonly relevanceScore: number
}

export interface RerankReply {
  /** The provider's own ID of the answer. Undefined where the provider returns none. */
  readonly id: string | undefined
  /** The model name that the upstream returned. Undefined where it returns none. */
  readonly model: string | undefined
  readonly resultCount: number
  /** Lists the results in the order of their scores, the best first. */
  readonly listResults: () => readonly RerankResult[]
  /** Whether the provider's own list has these results in this order, each with only its index and its score. */
  readonly isInOrder: boolean
  /** Undefined where the provider reports no usage. */
  readonly usage: Usage | undefined
}

/**
 * The billing unit of rerankers that do not bill by tokens: one query with up to 100 documents
 * (https://docs.cohere.com/docs/rerank-overview, seen 2026-11-24). Prices and `Usage.toolCalls` use this name.
 */
export const SEARCH_UNIT = 'search_unit'

/** The number of documents in one search unit. */
export const DOCUMENTS_A_SEARCH_UNIT = 100

/** The usage of an answer that states none, where the provider bills by search units. */
export function usageOfDocuments(documents: number): Usage {
  const units = Math.ceil(documents / DOCUMENTS_A_SEARCH_UNIT)
  return { ...noUsage, toolCalls: { [SEARCH_UNIT]: units }, isEstimated: true }
}
