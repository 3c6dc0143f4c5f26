import type { GroupView } from '../../../src/admin/groups/group-contract.ts'
import { t } from './language.ts'

/** What is captured of a key or of the keys of a group, in words; undefined where nothing is. */
export function writeCapture(mode: GroupView['capture']): string | undefined {
  return mode === 'off' ? undefined : t(`capture.of.${mode}`)
}
