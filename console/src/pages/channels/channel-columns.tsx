import type { CertificationView } from '../../../../src/admin/certification/certification-contract.ts'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import { describeReason, stateTones } from '../../health/channel-health.ts'
import { type HealthLine, sumUpHealth } from '../../health/sum-up-health.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'
import { SignRow } from './certification-badges.tsx'
import type { ChannelSearch } from './channel-search.ts'
import { readChannelSettings } from './channel-settings.ts'

export type LinesByChannel = ReadonlyMap<string, readonly HealthLine[]>
export type CertificationsByChannel = ReadonlyMap<string, readonly CertificationView[]>

export interface ChannelRowFacts {
  readonly lines: LinesByChannel
  readonly certifications: CertificationsByChannel
}

/** The columns of the list. Narrow screens omit the last ones. */
export function channelColumns(
  search: ChannelSearch,
  { lines, certifications }: ChannelRowFacts,
): readonly Column<ChannelView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: (channel) => <NameCell channel={channel} search={search} />,
    },
    {
      id: 'health',
      header: t('channels.health'),
      className: 'w-50 max-lg:w-44 max-sm:w-36',
      cell: (channel) => <ChannelStateText channel={channel} lines={lines.get(channel.name) ?? []} />,
    },
    {
      id: 'certification',
      header: t('certification.column'),
      className: 'w-66 max-xl:hidden',
      cell: ({ name }) => <CertificationCell certifications={certifications.get(name) ?? []} />,
    },
    {
      id: 'provider',
      header: t('channels.provider'),
      className: 'w-36 max-md:hidden',
      sort: 'provider',
      cell: ({ provider }) => provider,
    },
    {
      id: 'priority',
      header: t('channels.priority'),
      className: 'w-20 max-md:hidden',
      align: 'end',
      sort: 'priority',
      cell: (channel) => writeCount(readChannelSettings(channel).priority),
    },
    {
      id: 'weight',
      header: t('channels.weight'),
      className: 'w-24 max-lg:hidden xl:max-2xl:hidden',
      align: 'end',
      cell: (channel) => writeCount(readChannelSettings(channel).weight),
    },
    {
      id: 'models',
      header: t('channels.models'),
      className: 'w-24 max-lg:hidden',
      align: 'end',
      cell: (channel) => describeModels(readChannelSettings(channel).models),
    },
  ]
}

interface NameCellProps {
  readonly channel: ChannelView
  readonly search: ChannelSearch
}

function NameCell({ channel: { name, owner }, search }: NameCellProps) {
  return (
    <>
      <RowLink to="/channels/$name" params={{ name }} search={search}>
        {name}
      </RowLink>
      {owner === 'file' && (
        <span className="ml-2">
          <Badge title={t('channels.in_file')}>{t('owner.file')}</Badge>
        </span>
      )}
    </>
  )
}

/** The most recently tested model, and the number of other tested models. */
function CertificationCell({ certifications }: { readonly certifications: readonly CertificationView[] }) {
  const [newest, ...others] = certifications
  if (newest === undefined) return <Absent />
  return (
    <div className="space-y-0.5 py-1">
      <SignRow certification={newest} />
      <p className="truncate text-xs text-muted">
        {newest.model} · <TimeText at={newest.started_at} style="distance" />
        {others.length > 0 && ` · ${t('certification.more', { count: others.length })}`}
      </p>
    </div>
  )
}

export function describeModels(models: readonly string[] | undefined): string {
  return models === undefined ? t('channels.models.listed') : writeCount(models.length)
}

interface ChannelStateTextProps {
  readonly channel: Pick<ChannelView, 'disabled'>
  readonly lines: readonly HealthLine[]
}

/** The state of a channel with its reason. That an operator disabled the channel takes precedence. */
function ChannelStateText({ channel: { disabled }, lines }: ChannelStateTextProps) {
  const { state, worst } = sumUpHealth(lines)
  if (disabled) return <StatusText>{t('channels.disabled')}</StatusText>
  if (state === 'unused') return <StatusText>{t('health.state.unused')}</StatusText>
  const reason = worst === undefined ? undefined : describeReason(worst)
  return (
    <StatusText tone={stateTones[state]}>
      <span title={reason}>
        {t(`health.state.${state}`)}
        {reason !== undefined && <span className="text-muted max-sm:hidden"> · {reason}</span>}
      </span>
    </StatusText>
  )
}
