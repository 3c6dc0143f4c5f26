import type { CacheMark } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { WriteContext } from './write-context.ts'

/** The maximum number of prompt prefixes that may be cached (prompt-caching.html, seen 2026-11-20). */
const MAX_POINTS = 4
/** A cache point directly after these media is refused ("… directly follow non-text content"). */
const media = ['image', 'document', 'video', 'audio'] as const

/** Adds the cache mark of an item to its blocks. In this format a mark is a separate block, the cache point. */
export function withPoint(
  blocks: readonly JsonObject[],
  mark: CacheMark | undefined,
  context: WriteContext,
): readonly JsonObject[] {
  if (mark === undefined) return blocks
  const last = blocks.at(-1)
  const isAfterText = context.model.cachePoints === 'text'
  if (last === undefined || !context.dialect.cacheMarks || (isAfterText && last['text'] === undefined)) {
    context.losses.lose('cache-mark', 'dropped')
    return blocks
  }
  const lifetime = isAfterText ? undefined : mark.lifetime
  if (isAfterText && mark.lifetime === '1h') context.losses.lose('cache-mark', 'approximated')
  const point = { cachePoint: { type: 'default', ...(lifetime === undefined ? {} : { ttl: lifetime }) } }
  if (!media.some((name) => name in last)) return [...blocks, point]
  context.losses.lose('cache-mark', 'approximated')
  return [point, ...blocks]
}

/**
 * Returns a function that removes cache points beyond the limit. The points of the longest prefixes stay: tools come
 * first in a prompt, then the system, then the messages.
 */
export function createPointLimit(parts: readonly (readonly JsonObject[])[], context: WriteContext) {
  const count = parts.flat().filter(isPoint).length
  let excess = Math.max(0, count - MAX_POINTS)
  if (excess > 0) context.losses.lose('cache-mark', 'dropped')
  return (blocks: readonly JsonObject[]) =>
    blocks.filter((block) => {
      if (excess === 0 || !isPoint(block)) return true
      excess -= 1
      return false
    })
}

function isPoint(block: JsonObject): boolean {
  return block['cachePoint'] !== undefined
}
