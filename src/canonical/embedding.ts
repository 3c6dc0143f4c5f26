import type { JsonValue } from '../kit/json/json.ts'
import type { Extras } from './format.ts'
import { addUsage, type Usage } from './usage.ts'

/** One thing to turn into a vector. Tokens are numbers of the model's own vocabulary. */
export type EmbeddingInput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tokens'; readonly tokens: readonly number[] }
  /** A form that only some providers know, unchanged. */
  | { readonly type: 'opaque'; readonly value: JsonValue }

/** The encoding that the caller wants of vectors: lists of numbers, or base64 of little-endian 32-bit floats. */
export type VectorEncoding = 'float' | 'base64'

/** A request for vectors in the canonical form. Absent means that the caller did not send the field. */
export interface EmbeddingRequest {
  /** The public name the caller asked for. */
  readonly model: string
  /** The inputs, at least one. */
  readonly inputs: readonly EmbeddingInput[]
  readonly dimensions?: number
  readonly encoding?: VectorEncoding
  readonly endUser?: string
  readonly extras?: Extras
}

/** An unchanged vector: numbers, or base64 of little-endian 32-bit floats. */
export type Vector =
  | { readonly encoding: 'float'; readonly values: readonly number[] }
  | { readonly encoding: 'base64'; readonly data: string }

/** The vectors in the order of the inputs. */
export interface EmbeddingReply {
  /** The name the upstream gave. */
  readonly model: string
  readonly vectors: readonly Vector[]
  readonly usage?: Usage
  readonly extras?: Extras
}

/** Vectors of several calls as those of one, in order, with usage added up. */
export function joinEmbeddings(first: EmbeddingReply, others: readonly EmbeddingReply[]): EmbeddingReply {
  const all = [first, ...others]
  const usage = all
    .map((reply) => reply.usage)
    .reduce((sum, one) => (sum && one ? addUsage(sum, one) : undefined))
  const { usage: _usage, ...rest } = first
  const vectors = all.flatMap((reply) => reply.vectors)
  return usage === undefined ? { ...rest, vectors } : { ...rest, vectors, usage }
}
