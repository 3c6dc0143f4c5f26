import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'

/** Fields of a chat answer that have the same name and meaning here. */
const SHARED = 'system_fingerprint'

/** The fields of an answer that belong to this format; all others are declared lost. */
export function ownFields(extras: Extras | undefined, losses: LossList): JsonObject {
  if (extras === undefined) return {}
  if (extras.format === 'completions') return extras.fields
  const { [SHARED]: shared, ...foreign } = extras.fields
  const isShared = extras.format === 'chat' && shared !== undefined
  const lost = isShared ? { ...extras, fields: foreign } : extras
  loseExtras(lost, { losses, path: '' })
  return isShared ? { [SHARED]: shared } : {}
}
