import type { GroupView } from '../../../src/admin/groups/group-contract.ts'
import { t } from '../language/language.ts'

/** Says which of prompts and responses are captured for a key or a group. Undefined if neither is. */
export function writeCapture(mode: GroupView['capture']): string | undefined {
  return mode === 'off' ? undefined : t(`capture.of.${mode}`)
}
