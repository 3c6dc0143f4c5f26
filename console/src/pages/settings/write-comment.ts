import type { VersionView } from '../../../../src/admin/config/config-contract.ts'
import { t } from '../../language/language.ts'

/** The comment of a version. The gateway's own comment on an undone version is in the language of the page. */
export function writeComment({ undoes, comment }: Pick<VersionView, 'undoes' | 'comment'>): string | null {
  return undoes === null ? comment : t('audit.detail.undone_version', { version: String(undoes) })
}
