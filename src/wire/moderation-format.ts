import type { Operation } from './wire-format.ts'

/** An operation that judges whether texts and images are harmful. It generates nothing, and never streams. */
export interface ModerationFormat extends Operation {
  readonly kind: 'moderation'
}
