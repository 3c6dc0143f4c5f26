/** Thrown where one of our files holds data that Headgate never writes. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError'
}
