import type { Block, MediaSource } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'

/** Whether a file stands in S3. Only Converse channels read it there; its address means nothing to other providers. */
export function isInBucket(source: MediaSource | { readonly type: 'text' }): boolean {
  return source.type === 'url' && /^s3:/i.test(source.url)
}

/** Whether Google stores the file for the caller, through the Files API or in Cloud Storage. */
export function isHeldFile(uri: string): boolean {
  return uri.startsWith('gs://') || /^https:\/\/[^/]*googleapis\.com\/.*\bfiles\//.test(uri)
}

/**
 * Declares the loss of a file in S3, or of one that Google stores, for formats that cannot name it. Whether the block
 * is such a file.
 */
export function loseStoredFile(block: Block, losses: LossList): boolean {
  if (block.type !== 'image' && block.type !== 'document' && block.type !== 'video') return false
  const { source } = block
  if (!isInBucket(source) && !(source.type === 'file' && isHeldFile(source.fileId))) return false
  losses.lose(block.type, 'dropped')
  return true
}
