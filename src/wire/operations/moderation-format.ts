import type { Operation } from '../wire-format.ts'

/** An operation that classifies texts and images as harmful or not. It generates nothing, and never streams. */
export interface ModerationFormat extends Operation {
  readonly kind: 'moderation'
}
