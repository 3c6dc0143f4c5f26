import type { AttemptParts } from './run-attempt.ts'

/** For an answer that nobody sees: its lane reads it. */
export const silentOutlet: AttemptParts['outlet'] = {
  writeStream: () => true,
  endStream: () => undefined,
  sendWhole: () => undefined,
}
