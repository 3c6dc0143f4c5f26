import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FilterBar, FilterText } from '../../ui/filters.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Banner, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { CreateAliasDialog } from './alias-dialogs.tsx'
import { modelColumns } from './model-columns.tsx'
import { ModelGraph } from './model-graph.tsx'
import { fetchModels, graphQuery } from './model-queries.ts'
import { type ModelSearch, modelSearchSchema } from './model-search.ts'
import { planGraph } from './plan-graph.ts'
import { RouteCard } from './route-card.tsx'

interface SearchProps {
  readonly search: ModelSearch
  readonly onChange: (next: Partial<ModelSearch>) => void
}

/** The public names that callers may send, with their targets and prices, and a dry run of a request's route. */
export function ModelsPage() {
  const search = useSearch({ from: '/frame/models' })
  const navigate = useNavigate({ from: '/models' })
  const adds = useMay('POST /models')
  const { seesAll } = usePermissions()
  const change = useCallback(
    (next: Partial<ModelSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  return (
    <>
      <PageHeader
        title={t('nav.models')}
        description={t(seesAll ? 'models.description' : 'models.description.own')}
        actions={
          adds && (
            <Button variant="primary" icon="plus" onClick={() => change({ add: true })}>
              {t('models.add')}
            </Button>
          )
        }
      />
      {seesAll ? (
        <ModelTabs search={search} onChange={change} />
      ) : (
        <ModelList search={search} onChange={change} />
      )}
      <CreateAliasDialog isOpen={adds && search.add === true} onClose={() => change({ add: undefined })} />
      <Outlet />
    </>
  )
}

function ModelTabs({ search, onChange: change }: SearchProps) {
  return (
    <Tabs
      label={t('nav.models')}
      active={search.view ?? 'list'}
      onChange={(view) => change({ view: view === 'list' ? undefined : view })}
      tabs={[
        {
          name: 'list',
          label: t('models.view.list'),
          content: <ModelList search={search} onChange={change} />,
        },
        {
          name: 'graph',
          label: t('models.view.graph'),
          content: <GraphView search={search} onChange={change} />,
        },
        {
          name: 'route',
          label: t('models.view.route'),
          content: (
            <RouteCard
              key={[search.model, search.key, search.format, search.stream].join(' ')}
              search={search}
              onAsk={change}
            />
          ),
        },
      ]}
    />
  )
}

function ModelFilters({ search: { q, channel }, onChange }: SearchProps) {
  const { seesAll } = usePermissions()
  const find = useCallback((next: string | undefined) => onChange({ q: next }), [onChange])
  const narrow = useCallback((next: string | undefined) => onChange({ channel: next }), [onChange])
  return (
    <FilterBar
      active={[q, channel].filter((each) => each !== undefined).length}
      onClear={() => onChange({ q: undefined, channel: undefined })}
      first={
        <FilterText
          label={t('models.search')}
          value={q}
          onChange={find}
          isSearch
          className="min-w-40 flex-1 sm:max-w-64"
        />
      }
    >
      {seesAll && <FilterText label={t('models.channel')} value={channel} onChange={narrow} />}
    </FilterBar>
  )
}

function ModelList({ search, onChange }: SearchProps) {
  const { q, channel, sort } = search
  const { seesAll } = usePermissions()
  const pages = usePages({
    queryKey: ['catalog', 'list', q, channel, sort],
    fetchPage: (after, signal) => fetchModels({ q, channel, sort }, after, signal),
  })
  const isFiltered = q !== undefined || channel !== undefined
  return (
    <>
      <ModelFilters search={search} onChange={onChange} />
      <PagedTable
        label={t('nav.models')}
        columns={modelColumns({ q, channel, sort }, seesAll)}
        pages={pages}
        keyOf={({ name }) => name}
        sorting={{
          by: sort ?? 'name',
          onChange: (by) => onChange(modelSearchSchema.pick({ sort: true }).parse({ sort: by })),
        }}
        empty={
          <EmptyState icon="model" title={isFiltered ? t('models.none.filtered') : t('models.none')}>
            {adviceOf(isFiltered, seesAll)}
          </EmptyState>
        }
      />
    </>
  )
}

function adviceOf(isFiltered: boolean, seesAll: boolean): string {
  if (isFiltered) return t('filter.none.advice')
  return t(seesAll ? 'models.none.advice' : 'models.none.advice.own')
}

function GraphView({ search, onChange }: SearchProps) {
  const { q, channel } = search
  const models = useQuery(graphQuery({ q, channel }))
  if (models.isPending) return <Skeleton rows={8} />
  if (models.isError) return <ErrorState error={models.error} onRetry={() => void models.refetch()} />
  const { rows, isComplete } = models.data
  const graph = planGraph(rows)
  return (
    <>
      <ModelFilters search={search} onChange={onChange} />
      {!isComplete && (
        <div className="mb-3">
          <Banner tone="warn">{t('models.graph.cut', { count: rows.length })}</Banner>
        </div>
      )}
      <Card>
        {graph.names.length === 0 ? (
          <EmptyState icon="share" title={t('models.graph.none')}>
            {t('models.graph.none.advice')}
          </EmptyState>
        ) : (
          <>
            <p className="mb-3 text-muted max-sm:hidden">{t('models.graph.why')}</p>
            <ModelGraph graph={graph} label={t('models.view.graph')} />
          </>
        )}
      </Card>
    </>
  )
}
