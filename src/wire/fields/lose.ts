import type { CacheMark } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'

interface LossContext {
  readonly losses: LossList
}

/** Declares a cache mark lost, for formats that cannot carry one. */
export function loseMark(mark: CacheMark | undefined, { losses }: LossContext): void {
  if (mark !== undefined) losses.lose('cache-mark', 'dropped')
}

/** The path with which losses name the fields of a part. */
export const CONTENT_PATH = 'messages.content'
