import { createChunkWatcher } from '../../openai/verbatim/chunk-watcher.ts'
import type { StreamWatcher } from '../../watched-reply.ts'

/** Watches a stream of completions that is forwarded byte for byte. */
export function createStreamWatcher(): StreamWatcher {
  return createChunkWatcher(({ text }) => (typeof text === 'string' ? text.length : 0))
}
