import { roleSchema, type UserView, userListSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { usePages } from '../../api/use-pages.ts'
import { t } from '../../language/language.ts'
import { useGroupNames } from '../../suggestions/people-names.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'
import type { UserSearch } from './user-search.ts'

interface UserListProps {
  readonly search: UserSearch
  readonly onChange: (next: Partial<UserSearch>) => void
}

const statuses = ['active', 'disabled'] as const

export function UserList({ search, onChange }: UserListProps) {
  const { q, role, status, group, sort } = search
  const filters = { q, role, status, group, sort }
  const pages = usePages({
    queryKey: ['users', 'list', filters],
    async fetchPage(after, signal) {
      const query = { ...filters, after }
      const { data, next_after: next } = await callApi({
        path: '/users',
        query,
        answer: userListSchema,
        signal,
      })
      return { rows: data, next }
    },
  })
  const isFiltered = [q, role, status, group].some((each) => each !== undefined)
  return (
    <>
      <UserFilters search={search} onChange={onChange} />
      <PagedTable
        label={t('nav.users')}
        columns={userColumns(search)}
        pages={pages}
        keyOf={({ id }) => id}
        sorting={{ by: sort ?? 'name', onChange: (by) => onChange({ sort: by }) }}
        empty={
          <EmptyState icon="user" title={isFiltered ? t('users.none.filtered') : t('users.none')}>
            {isFiltered ? t('filter.none.advice') : t('users.none.advice')}
          </EmptyState>
        }
      />
    </>
  )
}

function UserFilters({ search: { q, role, status, group }, onChange }: UserListProps) {
  const groups = useGroupNames()
  return (
    <FilterBar
      active={[q, role, status, group].filter((each) => each !== undefined).length}
      onClear={() => onChange({ q: undefined, role: undefined, status: undefined, group: undefined })}
      first={
        <FilterText
          label={t('users.search')}
          value={q}
          onChange={(next) => onChange({ q: next })}
          isSearch
          className="min-w-40 flex-1 sm:max-w-64"
        />
      }
    >
      <FilterSelect
        label={t('account.role')}
        value={role}
        choices={roleSchema.options.map((each) => [each, t(`role.${each}`)])}
        onChange={(next) => onChange({ role: next })}
      />
      <FilterSelect
        label={t('common.status')}
        value={status}
        choices={statuses.map((each) => [each, t(`users.status.${each}`)])}
        onChange={(next) => onChange({ status: next })}
      />
      <FilterText
        label={t('account.groups')}
        value={group}
        suggestions={groups}
        onChange={(next) => onChange({ group: next })}
      />
    </FilterBar>
  )
}

function userColumns(search: UserSearch): readonly Column<UserView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: ({ id, name }) => (
        <RowLink to="/users" search={{ ...search, user: id }}>
          {name}
        </RowLink>
      ),
    },
    { id: 'role', header: t('account.role'), className: 'w-24', cell: ({ role }) => t(`role.${role}`) },
    {
      id: 'status',
      header: t('common.status'),
      className: 'w-28',
      cell: ({ status }) => (
        <StatusText tone={status === 'active' ? 'good' : 'neutral'}>{t(`users.status.${status}`)}</StatusText>
      ),
    },
    {
      id: 'groups',
      header: t('account.groups'),
      className: 'max-lg:hidden',
      cell: ({ groups }) => (
        <span className="flex gap-1">
          {groups.length === 0 && <Absent />}
          {groups.map(({ group, manager }) => (
            <Badge key={group}>{manager ? `${group} · ${t('account.manager')}` : group}</Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'sign_in',
      header: t('users.last_sign_in'),
      className: 'w-40 max-md:hidden',
      align: 'end',
      sort: 'last_sign_in',
      cell: ({ last_sign_in_at: at }) => (at === null ? <Absent /> : <TimeText at={at} style="distance" />),
    },
  ]
}
