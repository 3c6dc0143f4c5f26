import type { CacheMark } from '../../canonical/content.ts'
import type { LossFeature, LossKind, LossList } from '../../canonical/loss.ts'

interface LossContext {
  readonly losses: LossList
}

/** Declares that a feature is written otherwise than asked for, or not at all. */
export function lose({ losses }: LossContext, feature: LossFeature, kind: LossKind): void {
  losses.add({ feature, kind })
}

/** Declares a mark lost where the format cannot carry one. */
export function loseMark(mark: CacheMark | undefined, context: LossContext): void {
  if (mark !== undefined) lose(context, 'cache-mark', 'dropped')
}

/** Where the fields of a part are, in the path of a loss. */
export const CONTENT_PATH = 'messages.content'
