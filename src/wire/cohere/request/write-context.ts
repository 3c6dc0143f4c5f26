import type { CacheMark, TextBlock } from '../../../canonical/content.ts'
import type { LossFeature, LossKind, LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

/** What every writer of a part of a request needs to know. */
export interface WriteContext {
  readonly dialect: Pick<Dialect, 'reasoning' | 'toolChoices'>
  readonly losses: LossList
}

export function lose({ losses }: WriteContext, feature: LossFeature, kind: LossKind): void {
  losses.add({ feature, kind })
}

export function loseMark(mark: CacheMark | undefined, context: WriteContext): void {
  if (mark !== undefined) lose(context, 'cache-mark', 'dropped')
}

/** The text of a block. Its sources are lost: the format takes none. */
export function textOf({ text, citations = [] }: TextBlock, context: WriteContext): string {
  if (citations.length > 0) lose(context, 'citations', 'dropped')
  return text
}
