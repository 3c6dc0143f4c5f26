import type { CacheMark } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'

interface LossContext {
  readonly losses: LossList
}

/** Declares a mark lost where the format cannot carry one. */
export function loseMark(mark: CacheMark | undefined, { losses }: LossContext): void {
  if (mark !== undefined) losses.lose('cache-mark', 'dropped')
}

/** The path of a part's fields in the name of a loss. */
export const CONTENT_PATH = 'messages.content'
