import type { AuditFact } from '../../../../src/admin/audit/audit-contract.ts'
import { writeDetail } from '../../changes/write-detail.ts'
import { t } from '../../language/language.ts'

/** The differences between two versions, one per line. */
export function ChangeList({ changes }: { readonly changes: readonly AuditFact[] }) {
  if (changes.length === 0) return <p className="text-muted">{t('settings.versions.no_changes')}</p>
  return (
    <ul className="space-y-1.5">
      {changes.map(writeDetail).map((change) => (
        <li key={change} className="rounded-lg bg-sunken px-3 py-1.5 break-words">
          {change}
        </li>
      ))}
    </ul>
  )
}
