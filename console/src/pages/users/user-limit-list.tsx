import type { ObjectView } from '../../../../src/admin/config/config-contract.ts'
import { usePages } from '../../api/use-pages.ts'
import { describeLimit } from '../../budgets/budget-meter.tsx'
import { describeRate } from '../../budgets/limit-lines.tsx'
import { readLimits } from '../../budgets/written-limits.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FilterBar, FilterText } from '../../ui/filters.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent } from '../../ui/text.tsx'
import { UserLimitForm } from './user-limit-form.tsx'
import { fetchUserLimits } from './user-limit-queries.ts'
import { UserLimits } from './user-limits.tsx'
import type { UserSearch } from './user-search.ts'

interface UserLimitListProps {
  readonly search: UserSearch
  readonly onChange: (next: Partial<UserSearch>) => void
}

/** The limits of all users. The name may belong to no account, as keys can be assigned to any name. */
export function UserLimitList({ search, onChange }: UserLimitListProps) {
  const { q, limits, set } = search
  const sets = useMay('POST /user-limits')
  const pages = usePages({
    queryKey: ['user-limits', 'list', q],
    fetchPage: (after, signal) => fetchUserLimits({ q, after }, signal),
  })
  const close = () => onChange({ limits: undefined, set: undefined })
  return (
    <>
      <FilterBar
        active={q === undefined ? 0 : 1}
        onClear={() => onChange({ q: undefined })}
        first={
          <FilterText
            label={t('users.search')}
            value={q}
            onChange={(next) => onChange({ q: next })}
            isSearch
            className="min-w-40 flex-1 sm:max-w-64"
          />
        }
      />
      <PagedTable
        label={t('users.limits.tab')}
        columns={limitColumns(search)}
        pages={pages}
        keyOf={({ name }) => name}
        empty={
          <EmptyState
            icon="budget"
            title={q === undefined ? t('users.limits.empty') : t('users.none.filtered')}
          >
            {q === undefined ? t('users.limits.empty.advice') : t('filter.none.advice')}
          </EmptyState>
        }
      />
      <Dialog isOpen={sets && set === true} onClose={close} title={t('users.limits.set')}>
        <UserLimitForm onDone={close} />
      </Dialog>
      {limits !== undefined && (
        <Dialog isOpen onClose={close} shape="side" title={limits}>
          <UserLimits name={limits} />
        </Dialog>
      )}
    </>
  )
}

function limitColumns(search: UserSearch): readonly Column<ObjectView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      cell: ({ name }) => (
        <RowLink to="/users" search={{ ...search, limits: name }}>
          {name}
        </RowLink>
      ),
    },
    {
      id: 'budgets',
      header: t('budget.list'),
      cell: (view) => {
        const { budgets } = readLimits(view)
        return budgets.length === 0 ? <Absent /> : budgets.map((limit) => describeLimit(limit)).join(', ')
      },
    },
    {
      id: 'rate',
      header: t('rate.title'),
      className: 'max-md:hidden',
      cell: (view) => {
        const limits = describeRate(readLimits(view).rate)
        return limits.length === 0 ? <Absent /> : limits.join(', ')
      },
    },
    {
      id: 'owner',
      header: t('owner.label'),
      className: 'w-32 max-sm:hidden',
      cell: ({ owner }) => (
        <Badge tone={owner === 'file' ? 'accent' : 'neutral'}>{t(`owner.${owner}`)}</Badge>
      ),
    },
  ]
}
