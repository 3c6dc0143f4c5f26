import type { TextBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

/** The context that every writer of a part of a request needs. */
export interface WriteContext {
  readonly dialect: Pick<Dialect, 'reasoning' | 'toolChoices'>
  readonly losses: LossList
}

/** The text of a block. Citations are lost, since the format accepts none in requests. */
export function plainTextOf({ text, citations = [] }: TextBlock, context: WriteContext): string {
  if (citations.length > 0) context.losses.lose('citations', 'dropped')
  return text
}
