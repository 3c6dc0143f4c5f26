/** Thrown where a file of ours holds what Headgate never writes there. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError'
}
