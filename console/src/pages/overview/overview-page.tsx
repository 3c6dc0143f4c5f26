import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { useGroupNames } from '../../suggestions/people-names.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FilterBar, FilterText } from '../../ui/filters.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SegmentedChoice } from '../../ui/segmented-choice.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Breakdown } from './breakdown.tsx'
import { Figures } from './figures.tsx'
import { defaultSpan, usageOverTimeQuery } from './overview-queries.ts'
import { type OverviewSearch, overviewSpans } from './overview-search.ts'
import { RecentRequests, recentQuery } from './recent-requests.tsx'
import { TrafficCharts } from './traffic-charts.tsx'
import { UsageCharts } from './usage-charts.tsx'

export function OverviewPage() {
  const { seesAll, managesGroups } = usePermissions()
  const recent = useQuery({ ...recentQuery, enabled: !seesAll })
  const scope = seesAll ? 'all' : managesGroups ? 'managed' : 'own'
  const search = useSearch({ from: '/frame/' })
  const navigate = useNavigate({ from: '/' })
  const change = useCallback(
    (next: Partial<OverviewSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { span = defaultSpan } = search
  const isNew = !seesAll && recent.data?.data.length === 0
  return (
    <>
      <PageHeader
        title={t('nav.overview')}
        description={t(`overview.scope.${scope}`)}
        actions={
          !isNew && (
            <SegmentedChoice
              label={t('overview.span')}
              value={span}
              choices={overviewSpans.map((each) => [each, t(`overview.span.${each}`)])}
              onChange={(next) => change({ span: next === defaultSpan ? undefined : next })}
            />
          )
        }
      />
      {isNew ? <FirstSteps /> : <Traffic search={search} onChange={change} />}
    </>
  )
}

/** A message for a member without requests, instead of figures that are all zero. */
function FirstSteps() {
  return (
    <Card>
      <EmptyState
        icon="key"
        title={t('overview.start')}
        action={
          <Link to="/keys" search={{ make: true }} className={buttonClass('primary')}>
            {t('keys.create')}
          </Link>
        }
      >
        {t('overview.start.advice')}
      </EmptyState>
    </Card>
  )
}

function Traffic({ search, onChange }: OverviewSearchProps) {
  const { span = defaultSpan, by: _by, ...filters } = search
  const usage = useQuery(usageOverTimeQuery(span, filters))
  return (
    <>
      <OverviewFilters search={search} onChange={onChange} />
      {usage.isPending && <Skeleton rows={8} />}
      {usage.isError && <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data !== undefined && (
        <div className="space-y-4">
          <Figures usage={usage.data} span={span} filters={filters} />
          <div className="grid gap-4 lg:grid-cols-2">
            <TrafficCharts span={span} filters={filters} />
            <UsageCharts usage={usage.data} />
          </div>
          <div className="grid gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Breakdown search={search} onChange={onChange} />
            <RecentRequests />
          </div>
        </div>
      )}
    </>
  )
}

export interface OverviewSearchProps {
  readonly search: OverviewSearch
  readonly onChange: (next: Partial<OverviewSearch>) => void
}

function OverviewFilters({ search: { model, key, group, channel, user }, onChange }: OverviewSearchProps) {
  const { seesAll } = usePermissions()
  const models = usePublicModels()
  const groups = useGroupNames()
  const active = [model, key, group, channel, user].filter((each) => each !== undefined).length
  const none = { model: undefined, key: undefined, group: undefined, channel: undefined, user: undefined }
  return (
    <FilterBar
      active={active}
      onClear={() => onChange(none)}
      first={
        <FilterText
          label={t('requests.model')}
          value={model}
          suggestions={models}
          onChange={(next) => onChange({ model: next })}
          isSearch
        />
      }
    >
      <FilterText label={t('requests.key')} value={key} onChange={(next) => onChange({ key: next })} />
      {seesAll && (
        <>
          <FilterText
            label={t('requests.group')}
            value={group}
            suggestions={groups}
            onChange={(next) => onChange({ group: next })}
          />
          <FilterText
            label={t('requests.channel')}
            value={channel}
            onChange={(next) => onChange({ channel: next })}
          />
        </>
      )}
    </FilterBar>
  )
}
