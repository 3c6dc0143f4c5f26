/** The fault of a backup, as the end of a sentence about it: `it is cut off`. */
export class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError'
}
