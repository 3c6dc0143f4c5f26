import type { JsonObject } from '../../kit/json/json.ts'
import type { Usage } from '../usage.ts'

/** A document to be ranked: a text, or an object of which one field is the text. */
export type RerankDocument =
  | { readonly type: 'text'; readonly text: string }
  /** `value` is the caller's object, unchanged; `text` is its text, where it has one. */
  | { readonly type: 'object'; readonly text: string | undefined; readonly value: JsonObject }

/**
 * A request to order documents by how well they answer a query. Absent means that the caller did not send the field.
 */
export interface RerankRequest {
  /** The public name that the caller asked for. */
  readonly model: string
  readonly query: string
  /** The documents, at least one. */
  readonly documents: readonly RerankDocument[]
  /** The most results that the caller wants. */
  readonly topN?: number
  /** Whether the results hold their documents. */
  readonly returnDocuments?: boolean
  readonly maxTokensPerDocument?: number
  /** Whether a document that is too long is cut; false refuses it. */
  readonly truncation?: boolean
}

export interface RerankResult {
  /** The position of the document in the request. */
  readonly index: number
  readonly relevanceScore: number
}

export interface RerankReply {
  /** The provider's own ID of the answer; undefined where it gives none. */
  readonly id: string | undefined
  /** The name that the upstream gave; undefined where it gives none. */
  readonly model: string | undefined
  readonly resultCount: number
  /** Lists the results in the order of their scores, the best first. */
  readonly listResults: () => readonly RerankResult[]
  /** Whether the provider's own list has these results in this order, and of each its index and its score alone. */
  readonly isInOrder: boolean
  /** Undefined where the provider states none. */
  readonly usage: Usage | undefined
}

/**
 * The unit by which rerankers are billed that are not billed by tokens: one query with up to 100 documents
 * (https://docs.cohere.com/docs/rerank-overview, seen 2026-11-24). Prices and `Usage.toolCalls` have it by this name.
 */
export const SEARCH_UNIT = 'search_unit'

/** The documents of one search unit. */
export const DOCUMENTS_A_SEARCH_UNIT = 100
