import type { OpaqueBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { Dialect } from '../../dialect.ts'

/** What every writer of a part of a request needs to know. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

export interface BlockTarget {
  readonly losses: LossList
  /** Whether the item goes to a provider or to a caller. */
  readonly side: 'request' | 'reply'
}

export function writeOpaque(block: OpaqueBlock, losses: LossList): JsonObject | undefined {
  if (block.format === 'responses') return block.value
  const kind = block.name ?? block.value['type']
  losses.add({
    feature: 'foreign-block',
    kind: 'dropped',
    field: typeof kind === 'string' ? kind : 'unknown',
  })
  return undefined
}
