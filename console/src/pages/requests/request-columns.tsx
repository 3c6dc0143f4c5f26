import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'
import {
  writeDuration,
  writeRecent,
  writeShortCount,
  writeUtc,
  writeZonedMoment,
} from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameKey } from '../../routing/name-parts.ts'
import { nowMs } from '../../time/clock.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Marked } from '../../ui/row-mark.tsx'
import { Absent, MoneyText } from '../../ui/text.tsx'
import type { RequestSearch } from './request-search.ts'
import { toneOfStatus } from './status-tone.ts'

/** The columns of the list. Narrow screens omit the last ones. */
export function requestColumns(search: RequestSearch): readonly Column<RequestSummaryView>[] {
  return [
    {
      id: 'time',
      header: t('requests.ended'),
      className: 'w-19 sm:w-34',
      cell: ({ request_id: id, ended_at: at }) => (
        <RowLink to="/requests/$id" params={{ id }} search={search}>
          <time dateTime={at} title={`${writeZonedMoment(at)} · ${writeUtc(at)}`} className="tabular-nums">
            {writeRecent(at, nowMs())}
          </time>
        </RowLink>
      ),
    },
    {
      id: 'status',
      header: t('requests.status'),
      className: 'w-15 sm:w-18',
      cell: (row) => <StatusBadge row={row} />,
    },
    {
      id: 'model',
      header: t('requests.model'),
      cell: ({ model, captured }) => (
        <Marked icon="record" text={captured ? t('capture.mark') : undefined}>
          {model ?? <Absent />}
        </Marked>
      ),
    },
    {
      id: 'key',
      header: t('requests.key'),
      className: 'w-44 max-md:hidden',
      cell: ({ key }) => (key === null ? <Absent /> : nameKey(key)),
    },
    {
      id: 'channel',
      header: t('requests.channel'),
      className: 'w-28 max-lg:hidden',
      cell: ({ channel }) => channel ?? <Absent />,
    },
    ...amountColumns(),
  ]
}

function amountColumns(): readonly Column<RequestSummaryView>[] {
  return [
    {
      id: 'tokens',
      header: t('requests.tokens'),
      className: 'w-30 max-lg:hidden',
      align: 'end',
      cell: (row) => <TokenCounts row={row} />,
    },
    {
      id: 'cost',
      header: t('requests.cost'),
      className: 'w-22 max-sm:hidden',
      align: 'end',
      cell: ({ cost_usd: cost }) => <MoneyText usd={cost} />,
    },
    {
      id: 'first',
      header: t('requests.first'),
      className: 'w-24 max-2xl:hidden',
      align: 'end',
      cell: ({ first_content_ms: ms }) => (ms === null ? <Absent /> : writeDuration(ms)),
    },
    {
      id: 'total',
      header: t('requests.total'),
      className: 'w-17 sm:w-20',
      align: 'end',
      cell: ({ total_ms: ms }) => writeDuration(ms),
    },
  ]
}

function StatusBadge({ row: { status, error } }: { readonly row: RequestSummaryView }) {
  return (
    <Badge tone={toneOfStatus(status)} title={error ?? t('requests.answered')}>
      {status}
    </Badge>
  )
}

function TokenCounts({ row }: { readonly row: RequestSummaryView }) {
  const { input_tokens: input, output_tokens: output } = row
  if (input === null && output === null) return <Absent />
  const title = t('requests.tokens.title', { input: input ?? 0, output: output ?? 0 })
  return (
    <span title={title}>
      {writeShortCount(input ?? 0)} <span className="text-muted">→</span> {writeShortCount(output ?? 0)}
    </span>
  )
}
