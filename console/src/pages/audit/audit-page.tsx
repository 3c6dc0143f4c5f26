import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type AuditEntryView, auditListSchema } from '../../../../src/admin/audit/audit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { usePages } from '../../api/use-pages.ts'
import { AddressText } from '../../changes/address-text.tsx'
import { readAuthor, writeAuthor } from '../../changes/write-actor.ts'
import { writeDetail } from '../../changes/write-detail.ts'
import { t } from '../../language/language.ts'
import type { Column } from '../../ui/data-table.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { AuditFilterBar } from './audit-filter-bar.tsx'
import type { AuditSearch } from './audit-search.ts'
import { AuditSheet } from './audit-sheet.tsx'
import { nameAction } from './name-action.ts'

const PAGE_ROWS = 100

/** The audit log: who changed what, when, and from where. */
export function AuditPage() {
  const search = useSearch({ from: '/frame/audit' })
  const { entry, author, action } = search
  const navigate = useNavigate({ from: '/audit' })
  const change = useCallback(
    (next: Partial<AuditSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const pages = usePages({
    queryKey: ['audit', 'list', author, action],
    fetchPage: (before, signal) => fetchEntries({ author, action }, before, signal),
  })
  const isFiltered = author !== undefined || action !== undefined
  return (
    <>
      <PageHeader title={t('nav.audit')} description={t('audit.description')} />
      <AuditFilterBar search={search} onChange={change} />
      <PagedTable
        label={t('nav.audit')}
        columns={auditColumns(search)}
        pages={pages}
        keyOf={({ number }) => number}
        empty={
          <EmptyState icon="audit" title={t(isFiltered ? 'audit.none.filtered' : 'audit.none')}>
            {t(isFiltered ? 'filter.none.advice' : 'audit.none.advice')}
          </EmptyState>
        }
      />
      {entry !== undefined && (
        <AuditSheet
          number={entry}
          known={pages.rows.find(({ number }) => number === entry)}
          onClose={() => change({ entry: undefined })}
        />
      )}
    </>
  )
}

async function fetchEntries(
  { author, action }: Pick<AuditSearch, 'author' | 'action'>,
  before: string | number | undefined,
  signal: AbortSignal,
) {
  const { data, next_before: next } = await callApi({
    path: '/audit',
    query: {
      action,
      author: author === undefined ? undefined : readAuthor(author),
      limit: PAGE_ROWS,
      before,
    },
    answer: auditListSchema,
    signal,
  })
  return { rows: data, next }
}

function auditColumns(search: AuditSearch): readonly Column<AuditEntryView>[] {
  return [
    {
      id: 'action',
      header: t('audit.action'),
      className: 'w-52 max-sm:w-30',
      cell: ({ number, action }) => (
        <RowLink to="/audit" search={{ ...search, entry: number }}>
          {nameAction(action)}
        </RowLink>
      ),
    },
    {
      id: 'details',
      header: t('audit.details'),
      className: 'max-md:hidden',
      cell: ({ facts, subject }) => {
        const details = facts.map(writeDetail)
        return <span title={details.join('\n')}>{details.join(' · ') || subject}</span>
      },
    },
    {
      id: 'author',
      header: t('audit.author'),
      className: 'w-32 max-sm:w-auto',
      cell: ({ author, actor }) => <span title={author}>{writeAuthor(actor)}</span>,
    },
    {
      id: 'address',
      header: t('audit.address'),
      className: 'w-32 max-xl:hidden',
      cell: ({ address, actor }) => <AddressText address={address} actor={actor} />,
    },
    {
      id: 'at',
      header: t('audit.at'),
      className: 'w-36 max-sm:w-24',
      align: 'end',
      cell: ({ at }) => <TimeText at={at} style="distance" />,
    },
  ]
}
