import type { LedgerRowId } from '../../kit/random/ids.ts'

/**
 * The epoch of the process was ended by other processes: it did not renew for too long, so its leases may be granted to
 * others.
 */
export class EpochEndedError extends Error {
  override readonly name = 'EpochEndedError'
  /**
   * The intents of a commit that have their holds in the ended epoch. The other intents may be written without them.
   */
  readonly intents: readonly LedgerRowId[]
  constructor(intents: readonly LedgerRowId[] = []) {
    super('this process was silent for too long, and its leases are ended')
    this.intents = intents
  }
}
