import type { Failure } from '../canonical/failure.ts'
import type { Written } from '../canonical/loss.ts'
import type { RerankDocument, RerankReply, RerankRequest } from '../canonical/operations/rerank.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { Operation, ScannedRequest } from './wire-format.ts'

/** The part of the results that an answer shows. */
export interface ShownResults {
  /** Undefined where all are shown. */
  readonly topN: number | undefined
  /** The documents of the request; undefined where the caller wants none back. */
  readonly documents: readonly RerankDocument[] | undefined
}

/** The parts that an answer is written from. */
export interface AnsweredRerank {
  readonly shown: ShownResults
  readonly reply: RerankReply
  /** The provider's answer, in which the results may be as callers read them. */
  readonly answer: Buffer
  /** The ID of the answer, where the provider gives none. */
  readonly id: string
  /** The upstream's name of the model, where its answer names none. */
  readonly model: string
}

/** Adds what the answer costs to its fields, where the caller asks for that. */
export type AddCost = (fields: JsonObject) => JsonObject

/** An operation that orders documents by a query. Its answers are never streams. */
export interface RerankFormat extends Operation {
  readonly kind: 'rerank'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(body: JsonObject): RerankRequest
  /**
   * A request that a channel of this form takes as it is, without reading its documents; undefined where it must be
   * written anew. Throws `GatewayError` (400) on fields that the format forbids.
   */
  spliceOwnForm(
    scanned: ScannedRequest,
    target: { readonly form: OwnRerankForm; readonly model: string },
  ): OwnRanking | undefined
  /** Writes an answer as JSON. */
  writeReply(answered: AnsweredRerank, addCost: AddCost): string | Buffer
}

/** A request in the channel's own form. None of its documents are to be shown. */
export interface OwnRanking {
  readonly parts: readonly Buffer[]
  readonly documents: number
  /** The most results that the caller wants; undefined for all. */
  readonly topN: number | undefined
}

/** The form in which channels are asked to order documents. */
export interface ChannelRerank {
  /** The path below the channel's base address. */
  readonly path: Operation['path']
  /** `model` is the upstream's name. Throws `GatewayError` (400) on documents that cannot be carried. */
  writeRequest(request: RerankRequest, model: string): Written<JsonObject>
  /** Reads a reply about so many documents. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue, documents: number): RerankReply | Failure
  /** Reads the bytes of a reply as nearly all are; undefined where it must be parsed. */
  readonly scanReply?: (answer: Buffer, documents: number) => RerankReply | undefined
  /** Absent where no caller writes a body as the channel takes it. */
  readonly own?: OwnRerankForm
}

/** The bodies of callers that a channel takes as they are, but for the name of the model: their documents are texts. */
export interface OwnRerankForm {
  /** The fields that the channel has under the same name. */
  readonly fields: ReadonlySet<string>
  /** Fields that are set all the same, as JSON. */
  readonly set: readonly (readonly [name: string, json: string])[]
}
