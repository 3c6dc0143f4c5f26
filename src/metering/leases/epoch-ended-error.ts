/** The process was ended for others: it was silent for too long, so that what it was leased may be leased to them. */
export class EpochEndedError extends Error {
  override readonly name = 'EpochEndedError'
  constructor() {
    super('this process was silent for too long, and its leases are ended')
  }
}
