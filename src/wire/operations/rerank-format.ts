import type { Failure } from '../../canonical/failure.ts'
import type { Written } from '../../canonical/loss.ts'
import type { RerankDocument, RerankReply, RerankRequest } from '../../canonical/operations/rerank.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { Operation, ScannedRequest } from '../wire-format.ts'

/** The part of the results that an answer contains. */
export interface ShownResults {
  /** The maximum number of results; undefined for all. */
  readonly topN: number | undefined
  /** The documents of the request; undefined where the caller does not want them returned. */
  readonly documents: readonly RerankDocument[] | undefined
}

/** The data from which an answer is written. */
export interface AnsweredRerank {
  readonly shown: ShownResults
  readonly reply: RerankReply
  /** The provider's answer. Its results may already have the form that callers read. */
  readonly answer: Buffer
  /** The ID of the answer, where the provider does not send one. */
  readonly id: string
  /** The upstream's name of the model, where its answer does not name one. */
  readonly model: string
}

/** Adds the cost of the answer to its fields, where the caller asks for the cost. */
export type AddCost = (fields: JsonObject) => JsonObject

/** An operation that ranks documents by a query. Its answers never stream. */
export interface RerankFormat extends Operation {
  readonly kind: 'rerank'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequest(body: JsonObject): RerankRequest
  /**
   * Forwards the caller's body to a channel of this form without reading its documents. Undefined where the request
   * must be rewritten. Throws `GatewayError` (400) on fields that the format forbids.
   */
  spliceOwnForm(
    scanned: ScannedRequest,
    target: { readonly form: OwnRerankForm; readonly model: string },
  ): OwnRanking | undefined
  /** Writes an answer as JSON. */
  writeReply(answered: AnsweredRerank, addCost: AddCost): string | Buffer
}

/** A request in the channel's own form. The answer returns none of its documents. */
export interface OwnRanking {
  readonly parts: readonly Buffer[]
  readonly documents: number
  /** The maximum number of results that the caller wants; undefined for all. */
  readonly topN: number | undefined
}

/** The form in which channels are asked to rank documents. */
export interface ChannelRerank {
  /** The path below the channel's base URL. */
  readonly path: Operation['path']
  /**
   * `model` is the upstream's name of the model. Throws `GatewayError` (400) on documents that the format cannot carry.
   */
  writeRequest(request: RerankRequest, model: string): Written<JsonObject>
  /**
   * Reads a reply that ranks this number of documents. Never throws: a reply that is not an answer of the format
   * becomes a failure.
   */
  readReply(body: JsonValue, documents: number): RerankReply | Failure
  /** Reads the bytes of a reply in its usual form, without parsing it. Undefined where the reply must be parsed. */
  readonly scanReply?: (answer: Buffer, documents: number) => RerankReply | undefined
  /** Absent where the channel cannot accept any caller's body unchanged. */
  readonly own?: OwnRerankForm
}

/** The caller bodies that a channel accepts unchanged except for the model's name. Their documents are texts. */
export interface OwnRerankForm {
  /** The fields that have the same name in the channel's format. */
  readonly fields: ReadonlySet<string>
  /** Fields that are set in every request, as JSON. */
  readonly set: readonly (readonly [name: string, json: string])[]
}
