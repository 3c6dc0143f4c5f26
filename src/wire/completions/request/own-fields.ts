import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'

/** The field of a chat answer that has the same name and meaning in this format. */
const SHARED = 'system_fingerprint'

/** Returns the fields of an answer that belong to this format. All others are declared lost. */
export function ownFields(extras: Extras | undefined, losses: LossList): JsonObject {
  if (extras === undefined) return {}
  if (extras.format === 'completions') return extras.fields
  const { [SHARED]: shared, ...foreign } = extras.fields
  const isShared = extras.format === 'chat' && shared !== undefined
  const lost = isShared ? { ...extras, fields: foreign } : extras
  loseExtras(lost, { losses, path: '' })
  return isShared ? { [SHARED]: shared } : {}
}
