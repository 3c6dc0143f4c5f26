import type { Block, MediaSource } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'

/** Whether a file stands in S3. Only Converse channels read it there; its address means nothing to other providers. */
export function isInBucket(source: MediaSource | { readonly type: 'text' }): boolean {
  return source.type === 'url' && /^s3:/i.test(source.url)
}

/** Declares the loss of a file in S3, for formats that cannot name it. Whether the block is such a file. */
export function loseStoredFile(block: Block, losses: LossList): boolean {
  if (block.type !== 'image' && block.type !== 'document' && block.type !== 'video') return false
  if (!isInBucket(block.source)) return false
  losses.lose(block.type, 'dropped')
  return true
}
