import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { healthQuery } from '../../health/channel-health.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { SHOWN_CERTIFICATIONS, useCertifications } from './certification-queries.ts'
import { channelColumns, type LinesByChannel } from './channel-columns.tsx'
import { fetchChannels, useProviders } from './channel-queries.ts'
import { type ChannelSearch, channelSearchSchema } from './channel-search.ts'
import { CreateChannelDialog } from './create-channel-dialog.tsx'
import { TierPicture } from './tier-picture.tsx'

export function ChannelsPage() {
  const search = useSearch({ from: '/frame/channels' })
  const navigate = useNavigate({ from: '/channels' })
  const adds = useMay('POST /channels')
  const change = useCallback(
    (next: Partial<ChannelSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  return (
    <>
      <PageHeader
        title={t('nav.channels')}
        description={t('channels.description')}
        actions={
          adds && (
            <Button variant="primary" icon="plus" onClick={() => change({ add: true })}>
              {t('channels.add')}
            </Button>
          )
        }
      />
      <ChannelFilters search={search} onChange={change} />
      <ChannelList search={search} onChange={change} />
      <CreateChannelDialog isOpen={adds && search.add === true} onClose={() => change({ add: undefined })} />
      <Outlet />
    </>
  )
}

interface SearchProps {
  readonly search: ChannelSearch
  readonly onChange: (next: Partial<ChannelSearch>) => void
}

function ChannelFilters({ search: { q, provider, status, owner }, onChange }: SearchProps) {
  const providers = useProviders()
  const active = [q, provider, status, owner].filter((each) => each !== undefined).length
  const search = useCallback((next: string | undefined) => onChange({ q: next }), [onChange])
  return (
    <FilterBar
      active={active}
      onClear={() => onChange({ q: undefined, provider: undefined, status: undefined, owner: undefined })}
      first={
        <FilterText
          label={t('channels.search')}
          value={q}
          onChange={search}
          isSearch
          className="min-w-40 flex-1 sm:max-w-64"
        />
      }
    >
      <FilterSelect
        label={t('channels.provider')}
        value={provider}
        choices={providers.map(({ id }) => [id, id])}
        onChange={(next) => onChange({ provider: next })}
      />
      <FilterSelect
        label={t('common.status')}
        value={status}
        choices={[
          ['enabled', t('channels.enabled')],
          ['disabled', t('channels.disabled')],
        ]}
        onChange={(next) => onChange({ status: next })}
      />
      <FilterSelect
        label={t('owner.label')}
        value={owner}
        choices={[
          ['file', t('owner.file')],
          ['api', t('owner.api')],
        ]}
        onChange={(next) => onChange({ owner: next })}
      />
    </FilterBar>
  )
}

function ChannelList({ search, onChange }: SearchProps) {
  const { add: _add, ...filters } = search
  const manages = useMay('POST /channels')
  const pages = usePages({
    queryKey: ['channels', 'list', filters],
    fetchPage: (after, signal) => fetchChannels(filters, after, signal),
  })
  const health = useQuery(healthQuery)
  const lines: LinesByChannel = useMemo(
    () => Map.groupBy(health.data?.data ?? [], ({ channel }) => channel),
    [health.data],
  )
  const certifications = useCertifications()
  const columns = channelColumns(filters, { lines, certifications: certifications.byChannel })
  const { sort: _sort, ...narrowing } = filters
  const isFiltered = Object.values(narrowing).some((each) => each !== undefined)
  return (
    <>
      <TierPicture channels={pages.rows} isComplete={pages.onMore === undefined} lines={lines} />
      {certifications.isCut && (
        <p className="mb-2 text-[0.8125rem] text-muted max-xl:hidden">
          {t('certification.column.cut', { count: SHOWN_CERTIFICATIONS })}
        </p>
      )}
      <PagedTable
        label={t('nav.channels')}
        columns={columns}
        pages={pages}
        keyOf={({ name }) => name}
        sorting={{
          by: search.sort ?? 'name',
          onChange: (sort) => onChange(channelSearchSchema.pick({ sort: true }).parse({ sort })),
        }}
        empty={
          <EmptyState icon="channel" title={isFiltered ? t('channels.none.filtered') : t('channels.none')}>
            {isFiltered
              ? t('filter.none.advice')
              : manages
                ? t('channels.none.advice')
                : t('channels.none.viewer')}
          </EmptyState>
        }
      />
    </>
  )
}
