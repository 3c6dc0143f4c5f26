import { auditActionField } from '../../../../src/admin/audit/audit-contract.ts'
import { listOtherAuthors } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useUserNames } from '../../suggestions/people-names.ts'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import type { AuditSearch } from './audit-search.ts'
import { nameAction } from './name-action.ts'

interface AuditFilterBarProps {
  readonly search: AuditSearch
  readonly onChange: (next: Partial<AuditSearch>) => void
}

export function AuditFilterBar({ search: { author, action }, onChange }: AuditFilterBarProps) {
  const users = useUserNames()
  const active = [author, action].filter((each) => each !== undefined).length
  const choices = auditActionField.options
    .map((each) => [each, nameAction(each)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other))
  return (
    <FilterBar
      active={active}
      onClear={() => onChange({ author: undefined, action: undefined })}
      first={
        <FilterText
          label={t('audit.filter.author')}
          value={author}
          suggestions={[...users, ...listOtherAuthors()]}
          onChange={(next) => onChange({ author: next })}
          isSearch
          className="min-w-40 flex-1 sm:max-w-64"
        />
      }
    >
      <FilterSelect
        label={t('audit.action')}
        value={auditActionField.options.find((each) => each === action)}
        choices={choices}
        onChange={(next) => onChange({ action: next })}
      />
    </FilterBar>
  )
}
