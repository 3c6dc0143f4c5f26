import type { FieldOwner } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import { loseExtras } from './extras.ts'

/**
 * Drops user turns that hold only fields of another format. Such a turn is read from a message that contains only tool
 * results and some further fields. These fields are declared lost.
 */
export function dropEmptyTurns(
  turns: readonly Turn[],
  format: FieldOwner,
  losses: LossList,
): readonly Turn[] {
  return turns.filter((turn) => {
    if (turn.role !== 'user' || turn.content.length > 0) return true
    if (turn.extras === undefined || turn.extras.format === format) return true
    loseExtras(turn.extras, { losses, path: 'messages' })
    return false
  })
}
