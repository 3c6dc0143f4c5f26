import type { GroupView } from '../../../src/admin/groups/group-contract.ts'
import { t } from '../language/language.ts'

/** Says in words which of prompts and answers are captured of a key or of a group; undefined where neither is. */
export function writeCapture(mode: GroupView['capture']): string | undefined {
  return mode === 'off' ? undefined : t(`capture.of.${mode}`)
}
