import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { useGroupNames } from '../../suggestions/people-names.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { FilterBar, FilterSelect, FilterText } from '../../ui/filters.tsx'
import type { RequestFilters } from './request-queries.ts'
import type { RequestSearch } from './request-search.ts'

interface RequestFilterBarProps {
  readonly search: RequestFilters
  readonly onChange: (next: Partial<RequestSearch>) => void
}

const statuses = ['2xx', '4xx', '429', '5xx'] as const
const spans = ['15m', '1h', '24h', 'yesterday', '7d', '30d'] as const
const durations = ['1000', '5000', '30000', '120000'] as const
const streams = ['true', 'false'] as const
const nothing = { key: undefined, user: undefined, group: undefined, model: undefined, channel: undefined }
const noKind = { stream: undefined, min_ms: undefined, captured: undefined }
const noMore = { status: undefined, error: undefined, ...noKind }

export function RequestFilterBar({ search, onChange }: RequestFilterBarProps) {
  const models = usePublicModels()
  const active = Object.values(search).filter((each) => each !== undefined).length
  const { model, status, since, channel } = search
  return (
    <>
      <FilterBar
        active={active}
        onClear={() => onChange({ ...nothing, ...noMore, since: undefined, until: undefined })}
        first={
          <FilterText
            label={t('requests.model')}
            value={model}
            suggestions={models}
            onChange={(next) => onChange({ model: next })}
            isSearch
            className="min-w-36 flex-1 sm:max-w-56"
          />
        }
      >
        <FilterSelect
          label={t('requests.status')}
          value={statuses.find((each) => each === status)}
          choices={statuses.map((each) => [each, t(`requests.status.${each}`)])}
          onChange={(next) => onChange({ status: next })}
        />
        <FilterSelect
          label={t('requests.since')}
          value={spans.find((each) => each === since)}
          choices={spans.map((each) => [each, t(`span.${each}`)])}
          onChange={(next) => onChange({ since: next, until: undefined })}
        />
        <SubjectFilters search={search} onChange={onChange} />
        <KindFilters search={search} onChange={onChange} />
      </FilterBar>
      {channel !== undefined && (
        <p className="mb-3 text-[0.8125rem] text-muted">{t('requests.channel.finds', { channel })}</p>
      )}
    </>
  )
}

function SubjectFilters({ search: { key, group, channel }, onChange }: RequestFilterBarProps) {
  const { seesAll } = usePermissions()
  const groups = useGroupNames()
  return (
    <>
      <FilterText
        label={t('requests.key')}
        value={key}
        onChange={(next) => onChange({ key: next })}
        className="w-32"
      />
      {seesAll && (
        <>
          <FilterText
            label={t('requests.group')}
            value={group}
            suggestions={groups}
            onChange={(next) => onChange({ group: next })}
            className="w-32"
          />
          <FilterText
            label={t('requests.channel')}
            value={channel}
            onChange={(next) => onChange({ channel: next })}
            className="w-32"
          />
        </>
      )}
    </>
  )
}

function KindFilters({ search, onChange }: RequestFilterBarProps) {
  const { error, stream, min_ms: minMs, captured } = search
  return (
    <>
      <FilterText
        label={t('requests.error')}
        value={error}
        onChange={(next) => onChange({ error: next })}
        className="w-36"
      />
      <FilterSelect
        label={t('requests.duration')}
        value={durations.find((each) => each === minMs)}
        choices={durations.map((each) => [each, t('requests.longer', { seconds: Number(each) / 1_000 })])}
        onChange={(next) => onChange({ min_ms: next })}
      />
      <FilterSelect
        label={t('requests.stream')}
        value={stream}
        choices={streams.map((each) => [each, t(`requests.stream.${each}`)])}
        onChange={(next) => onChange({ stream: next })}
      />
      <FilterSelect
        label={t('capture.label')}
        value={captured}
        choices={[['true', t('requests.captured')]]}
        onChange={(next) => onChange({ captured: next })}
      />
    </>
  )
}
