import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { describeReason, type HealthLine, stateTones, sumUpHealth } from '../../shared/channel-health.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import type { ChannelSearch } from './channel-search.ts'
import { readChannelSettings } from './channel-settings.ts'

export type LinesByChannel = ReadonlyMap<string, readonly HealthLine[]>

/** The columns of the list; on narrow screens the last ones are left out. */
export function channelColumns(search: ChannelSearch, lines: LinesByChannel): readonly Column<ChannelView>[] {
  return [
    {
      id: 'name',
      header: t('common.name'),
      sort: 'name',
      cell: ({ name, owner }) => (
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
      ),
    },
    {
      id: 'health',
      header: t('channels.health'),
      className: 'w-64 max-lg:w-44 max-sm:w-36',
      cell: (channel) => <ChannelStateText channel={channel} lines={lines.get(channel.name) ?? []} />,
    },
    {
      id: 'provider',
      header: t('channels.provider'),
      className: 'w-44 max-md:hidden',
      sort: 'provider',
      cell: ({ provider }) => provider,
    },
    {
      id: 'priority',
      header: t('channels.priority'),
      className: 'w-24 max-md:hidden',
      align: 'end',
      sort: 'priority',
      cell: (channel) => writeCount(readChannelSettings(channel).priority),
    },
    {
      id: 'weight',
      header: t('channels.weight'),
      className: 'w-24 max-lg:hidden',
      align: 'end',
      cell: (channel) => writeCount(readChannelSettings(channel).weight),
    },
    {
      id: 'models',
      header: t('channels.models'),
      className: 'w-40 max-lg:hidden',
      align: 'end',
      cell: (channel) => describeModels(readChannelSettings(channel).models),
    },
  ]
}

export function describeModels(models: readonly string[] | undefined): string {
  return models === undefined ? t('channels.models.listed') : writeCount(models.length)
}

interface ChannelStateTextProps {
  readonly channel: Pick<ChannelView, 'disabled'>
  readonly lines: readonly HealthLine[]
}

/** The state of a channel with its reason; that somebody disabled it goes before all else. */
export function ChannelStateText({ channel: { disabled }, lines }: ChannelStateTextProps) {
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
