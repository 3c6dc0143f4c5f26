import type { LedgerRowId } from '../../kit/random/ids.ts'

/** The process was ended for others: it was silent for too long, so that what it was leased may be leased to them. */
export class EpochEndedError extends Error {
  override readonly name = 'EpochEndedError'
  /** The intents of a commit that held in the epoch that is over: without them the others may be written. */
  readonly intents: readonly LedgerRowId[]
  constructor(intents: readonly LedgerRowId[] = []) {
    super('this process was silent for too long, and its leases are ended')
    this.intents = intents
  }
}
