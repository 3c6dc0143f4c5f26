import { addUsage } from './add-usage.ts'
import type { EmbeddingReply } from './embedding.ts'

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
