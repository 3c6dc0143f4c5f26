import type { JsonValue } from '../kit/json/json.ts'
import type { Extras } from './format.ts'
import { addUsage, type Usage } from './usage.ts'

/** One input to turn into a vector. Tokens are numbers of the model's own vocabulary. */
export type EmbeddingInput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tokens'; readonly tokens: readonly number[] }
  /** A form that only some providers know, passed on unchanged. */
  | { readonly type: 'opaque'; readonly value: JsonValue }

/** The encoding of vectors that the caller wants: lists of numbers, or base64 of little-endian 32-bit floats. */
export type VectorEncoding = 'float' | 'base64'

/** A request for embeddings in the canonical form. An absent field means that the caller did not send it. */
export interface EmbeddingRequest {
  /** The public name that the caller asked for. */
  readonly model: string
  /** The inputs, at least one. */
  readonly inputs: readonly EmbeddingInput[]
  readonly dimensions?: number
  readonly encoding?: VectorEncoding
  readonly endUser?: string
  readonly extras?: Extras
}

/** A vector as the provider sent it: numbers, or base64 of little-endian 32-bit floats. */
export type Vector =
  | { readonly encoding: 'float'; readonly values: readonly number[] }
  | { readonly encoding: 'base64'; readonly data: string }

/** An answer with vectors, in the order of the inputs. */
export interface EmbeddingReply {
  /** The model name that the upstream returned. */
  readonly model: string
  readonly vectors: readonly Vector[]
  readonly usage?: Usage
  readonly extras?: Extras
}

/** Joins the vectors of several calls in order, and adds up their usage. */
export function joinEmbeddings(first: EmbeddingReply, others: readonly EmbeddingReply[]): EmbeddingReply {
  const all = [first, ...others]
  const usage = all
    .map((reply) => reply.usage)
    .reduce((sum, one) => (sum && one ? addUsage(sum, one) : undefined))
  const { usage: _usage, ...rest } = first
  const vectors = all.flatMap((reply) => reply.vectors)
  return usage === undefined ? { ...rest, vectors } : { ...rest, vectors, usage }
}
