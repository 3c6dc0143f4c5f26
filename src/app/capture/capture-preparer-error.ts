/** A capture could not be prepared: its thread failed or has ended, or a pattern took too long. */
export class CapturePreparerError extends Error {
  override readonly name = 'CapturePreparerError'
}
