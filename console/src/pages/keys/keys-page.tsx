import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { useGroupNames, useUserNames } from '../../suggestions/people-names.ts'
import { Button } from '../../ui/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { keyColumns } from './key-columns.tsx'
import { fetchKeys } from './key-queries.ts'
import type { KeySearch } from './key-search.ts'

const statuses = ['active', 'disabled', 'expired', 'revoked'] as const

export function KeysPage() {
  const search = useSearch({ from: '/frame/keys' })
  const navigate = useNavigate({ from: '/keys' })
  const makesKeys = useMay('POST /keys')
  const change = useCallback(
    (next: Partial<KeySearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  return (
    <>
      <PageHeader
        title={t('nav.keys')}
        description={t('keys.description')}
        actions={
          makesKeys && (
            <Button variant="primary" icon="plus" onClick={() => change({ make: true })}>
              {t('keys.create')}
            </Button>
          )
        }
      />
      <KeyFilters search={search} onChange={change} />
      <KeyTable search={search} onChange={change} />
      <CreateKeyDialog
        isOpen={search.make === true && makesKeys}
        onClose={() => change({ make: undefined })}
      />
      <Outlet />
    </>
  )
}

interface SearchProps {
  readonly search: KeySearch
  readonly onChange: (next: Partial<KeySearch>) => void
}

function KeyFilters({ search: { q, status, group, user }, onChange }: SearchProps) {
  const { seesAll } = usePermissions()
  const groups = useGroupNames()
  const users = useUserNames()
  const active = [q, status, group, user].filter((each) => each !== undefined).length
  const clear = () => onChange({ q: undefined, status: undefined, group: undefined, user: undefined })
  return (
    <FilterBar
      active={active}
      onClear={clear}
      first={
        <FilterText
          label={t('keys.search')}
          value={q}
          onChange={(next) => onChange({ q: next })}
          isSearch
          className="min-w-40 flex-1 sm:max-w-64"
        />
      }
    >
      <FilterSelect
        label={t('keys.status')}
        value={status}
        choices={statuses.map((each) => [each, t(`keys.status.${each}`)])}
        onChange={(next) => onChange({ status: next })}
      />
      {seesAll && (
        <>
          <FilterText
            label={t('keys.group')}
            value={group}
            suggestions={groups}
            onChange={(next) => onChange({ group: next })}
          />
          <FilterText
            label={t('keys.user')}
            value={user}
            suggestions={users}
            onChange={(next) => onChange({ user: next })}
          />
        </>
      )}
    </FilterBar>
  )
}

function KeyTable({ search, onChange }: SearchProps) {
  const { make: _make, ...filters } = search
  const pages = usePages({
    queryKey: ['keys', 'list', filters],
    fetchPage: (after, signal) => fetchKeys(filters, after, signal),
  })
  const columns = useMemo(() => keyColumns(search), [search])
  const isFiltered = Object.values(filters).some((each) => each !== undefined)
  return (
    <PagedTable
      label={t('nav.keys')}
      columns={columns}
      pages={pages}
      keyOf={({ id }) => id}
      sorting={{ by: search.sort ?? 'created', onChange: (sort) => onChange({ sort }) }}
      empty={
        <EmptyState icon="key" title={isFiltered ? t('keys.none.filtered') : t('keys.none')}>
          {isFiltered ? t('filter.none.advice') : t('keys.none.advice')}
        </EmptyState>
      }
    />
  )
}
