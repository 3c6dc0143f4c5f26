import type { KeyId } from '../../access/key.ts'
import type { KeyUses } from '../../access/key-uses.ts'
import type { ProcessBus } from './process-bus.ts'

/** A value for other nodes may have a megabyte. A use has some 50 characters. */
const MAX_USES = 10_000

/**
 * Learns from the other processes when keys were last used. Returns the function that publishes the uses that this
 * process has stored.
 */
export function shareKeyUses(
  bus: ProcessBus,
  uses: Pick<KeyUses, 'adopt'>,
): (stored: ReadonlyMap<KeyId, number>) => void {
  bus.on('keys-used', (others) => uses.adopt(others))
  return (stored) => {
    const all = [...stored]
    for (let start = 0; start < all.length; start += MAX_USES)
      bus.publish('keys-used', all.slice(start, start + MAX_USES))
  }
}
