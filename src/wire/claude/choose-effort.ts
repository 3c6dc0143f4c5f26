import type { LossList } from '../../canonical/loss.ts'
import { type Effort, efforts } from '../../canonical/request.ts'
import type { MessagesModel } from '../dialect.ts'

/** The format's least effort is `low`; none at all is said by the thinking mode. */
export function chooseEffort(effort: Effort | undefined, losses: LossList): { readonly effort?: Effort } {
  if (effort === undefined) return {}
  if (effort !== 'none' && effort !== 'minimal') return { effort }
  losses.add({ feature: 'reasoning-effort', kind: 'approximated' })
  return effort === 'minimal' ? { effort: 'low' } : {}
}

/** The model's own word for an effort: the same, else the next one below, else its least. */
export function nearestEffort(
  effort: Effort | undefined,
  model: MessagesModel,
  losses: LossList,
): { readonly effort?: Effort } {
  if (effort === undefined || model.efforts.includes(effort)) return chooseEffort(effort, losses)
  losses.add({ feature: 'reasoning-effort', kind: 'approximated' })
  const rank = efforts.indexOf(effort)
  const below = model.efforts.filter((word) => efforts.indexOf(word) < rank).at(-1)
  const word = below ?? model.efforts[0]
  return word === undefined ? {} : { effort: word }
}
