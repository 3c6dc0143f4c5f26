import { type GroupView, groupListSchema } from '../../../../src/admin/groups/group-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { usePages } from '../../api/use-pages.ts'
import { NearestBudget } from '../../budgets/nearest-budget.tsx'
import { readLimits } from '../../budgets/written-limits.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { writeCapture } from '../../settings/capture-text.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Marked } from '../../ui/row-mark.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent } from '../../ui/text.tsx'
import type { GroupSearch } from './group-search.ts'

interface GroupListProps {
  readonly search: GroupSearch
  readonly onChange: (next: Partial<GroupSearch>) => void
}

const owners = ['file', 'api'] as const

export function GroupList({ search, onChange }: GroupListProps) {
  const { q, owner, sort } = search
  const filters = { q, owner, sort }
  const pages = usePages({
    queryKey: ['groups', 'list', filters],
    async fetchPage(after, signal) {
      const query = { ...filters, after }
      const { data, next_after: next } = await callApi({
        path: '/groups',
        query,
        answer: groupListSchema,
        signal,
      })
      return { rows: data, next }
    },
  })
  const active = [q, owner].filter((each) => each !== undefined).length
  return (
    <>
      <FilterBar
        active={active}
        onClear={() => onChange({ q: undefined, owner: undefined })}
        first={
          <FilterText
            label={t('groups.search')}
            value={q}
            onChange={(next) => onChange({ q: next })}
            isSearch
            className="min-w-40 flex-1 sm:max-w-64"
          />
        }
      >
        <FilterSelect
          label={t('owner.label')}
          value={owner}
          choices={owners.map((each) => [each, t(`owner.${each}`)])}
          onChange={(next) => onChange({ owner: next })}
        />
      </FilterBar>
      <PagedTable
        label={t('nav.groups')}
        columns={groupColumns(search)}
        pages={pages}
        keyOf={({ name }) => name}
        sorting={{ by: sort ?? 'name', onChange: (by) => onChange({ sort: by }) }}
        empty={
          <EmptyState icon="group" title={active > 0 ? t('groups.none.filtered') : t('groups.none')}>
            {active > 0 ? t('filter.none.advice') : t('groups.none.advice')}
          </EmptyState>
        }
      />
    </>
  )
}

function groupColumns(search: GroupSearch): readonly Column<GroupView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: ({ name, capture }) => (
        <Marked icon="record" text={writeCapture(capture)}>
          <RowLink to="/groups" search={{ ...search, group: name }}>
            {name}
          </RowLink>
        </Marked>
      ),
    },
    {
      id: 'budget',
      header: t('groups.budget'),
      className: 'w-64 max-md:hidden',
      cell: (group) => <NearestBudget of="group" name={group.name} budgets={readLimits(group).budgets} />,
    },
    {
      id: 'managers',
      header: t('groups.managers'),
      className: 'max-lg:hidden',
      cell: ({ managers }) => (managers.length === 0 ? <Absent /> : managers.join(', ')),
    },
    {
      id: 'members',
      header: t('groups.members'),
      className: 'w-28 max-sm:w-20',
      align: 'end',
      sort: 'members',
      cell: ({ members }) => (members === null ? <Absent /> : writeCount(members)),
    },
    {
      id: 'keys',
      header: t('nav.keys'),
      className: 'w-24 max-sm:w-20',
      align: 'end',
      sort: 'keys',
      cell: ({ keys }) => (keys === null ? <Absent /> : writeCount(keys)),
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
