import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'
import { explainError } from '../../api/describe-error.ts'
import { type Pages, usePages } from '../../api/use-pages.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Banner, EmptyState } from '../../ui/states.tsx'
import { requestColumns } from './request-columns.tsx'
import { RequestFilterBar } from './request-filter-bar.tsx'
import { fetchRequests } from './request-queries.ts'
import type { RequestSearch } from './request-search.ts'
import { useLiveRows } from './use-live-rows.ts'

export function RequestsPage() {
  const search = useSearch({ from: '/frame/requests' })
  const navigate = useNavigate({ from: '/requests' })
  const change = useCallback(
    (next: Partial<RequestSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { live: isLive = false, ...filters } = search
  const pages = usePages({
    queryKey: ['requests', 'list', filters],
    fetchPage: (before, signal) => fetchRequests(filters, before, signal),
  })
  const isFiltered = Object.values(filters).some((each) => each !== undefined)
  const newestId = pages.isPending || pages.isStale ? undefined : (pages.rows[0]?.id ?? 0)
  const live = useLiveRows(isLive, filters, newestId)
  const shown = useMemo(() => withLive(pages, live.rows), [pages, live.rows])
  const columns = useMemo(() => requestColumns(search), [search])
  const follow = (next: boolean) => {
    change({ live: next ? true : undefined })
    if (!next) pages.refetch()
  }
  return (
    <>
      <PageHeader
        title={t('nav.requests')}
        description={t('requests.description')}
        actions={<LiveButton isLive={isLive} onChange={follow} />}
      />
      <RequestFilterBar search={filters} onChange={change} />
      {isLive && live.error !== undefined && (
        <div className="mb-3">
          <Banner tone="bad">{explainError(live.error)}</Banner>
        </div>
      )}
      {isLive && live.isCut && (
        <div className="mb-3">
          <Banner
            tone="warn"
            action={
              <Button isSmall variant="quiet" onClick={() => follow(false)}>
                {t('requests.live.stop')}
              </Button>
            }
          >
            {t('requests.live.cut')}
          </Banner>
        </div>
      )}
      <PagedTable
        label={t('nav.requests')}
        columns={columns}
        pages={shown}
        keyOf={({ id }) => id}
        empty={<NoRequests isFiltered={isFiltered} />}
      />
      <Outlet />
    </>
  )
}

/** The list with the live rows that it does not have yet. */
function withLive(
  pages: Pages<RequestSummaryView>,
  live: readonly RequestSummaryView[],
): Pages<RequestSummaryView> {
  const newestId = pages.rows[0]?.id ?? 0
  const newer = live.filter(({ id }) => id > newestId)
  return newer.length === 0 ? pages : { ...pages, rows: [...newer, ...pages.rows] }
}

function NoRequests({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <EmptyState icon="requests" title={isFiltered ? t('requests.none.filtered') : t('requests.none')}>
      {isFiltered ? t('filter.none.advice') : t('requests.none.advice')}
    </EmptyState>
  )
}

interface LiveButtonProps {
  readonly isLive: boolean
  readonly onChange: (isLive: boolean) => void
}

function LiveButton({ isLive, onChange }: LiveButtonProps) {
  return (
    <Button
      aria-pressed={isLive}
      icon={isLive ? 'stop' : 'play'}
      className={isLive ? 'border-good-solid text-good' : ''}
      onClick={() => onChange(!isLive)}
    >
      {isLive ? t('requests.live.on') : t('requests.live')}
    </Button>
  )
}
