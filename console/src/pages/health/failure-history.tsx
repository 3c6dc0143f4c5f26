import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MAX_USAGE_GROUPS, usageReportSchema } from '../../../../src/admin/ledger/usage-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeCount, writeHour, writeShare, writeTick, writeUtcDay } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nowMs } from '../../time/clock.ts'
import { type BucketUnit, bucketMs } from '../../time/time-buckets.ts'
import { MINUTE_MS } from '../../time/time-units.ts'
import { Card } from '../../ui/card.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { listTimes, planStrips, type Strip, type StripCell } from './plan-strips.ts'

const REFRESH_MS = MINUTE_MS
const CELL_WIDTH = 20
const CELL_HEIGHT = 28

/** The share of failed calls from which a cell is shown as bad. */
const BAD_SHARE = 0.2

/** Calls and failures of each channel by hour or by day, from the ledger. */
export function FailureHistory() {
  const { span = '24h' } = useSearch({ from: '/frame/health' })
  const navigate = useNavigate({ from: '/health' })
  const step: BucketUnit = span === '24h' ? 'hour' : 'day'
  const report = useQuery({
    queryKey: ['usage', 'health', span],
    async queryFn({ signal }) {
      const times = listTimes(step, nowMs())
      const since = new Date(times[0] ?? nowMs()).toISOString()
      const query = { by: `channel,${step}`, since, order: 'name', limit: MAX_USAGE_GROUPS }
      const usage = await callApi({ path: '/usage', query, answer: usageReportSchema, signal })
      return { times, strips: planStrips(usage, { step, times }), hasMore: usage.has_more }
    },
    refetchInterval: REFRESH_MS,
  })
  return (
    <Card
      title={t('health.history')}
      actions={
        <select
          aria-label={t('health.history.span')}
          value={span}
          onChange={({ target }) =>
            void navigate({ search: { span: target.value === '7d' ? '7d' : undefined }, replace: true })
          }
          className="input-frame"
        >
          <option value="24h">{t('health.history.24h')}</option>
          <option value="7d">{t('health.history.7d')}</option>
        </select>
      }
    >
      {report.isPending && <Skeleton rows={4} />}
      {report.isError && <ErrorState error={report.error} onRetry={() => void report.refetch()} />}
      {report.data !== undefined && <History {...report.data} step={step} />}
    </Card>
  )
}

interface HistoryProps {
  readonly times: readonly string[]
  readonly strips: readonly Strip[]
  readonly hasMore: boolean
  readonly step: BucketUnit
}

function History({ times, strips, hasMore, step }: HistoryProps) {
  if (strips.length === 0)
    return (
      <EmptyState icon="health" title={t('health.history.none')}>
        {t('health.history.none.advice')}
      </EmptyState>
    )
  return (
    <>
      <p className="mb-3 text-muted">{t('health.history.why')}</p>
      <ul className="space-y-3">
        {strips.map((strip) => (
          <StripRow key={strip.channel} strip={strip} step={step} />
        ))}
      </ul>
      {hasMore && <p className="mt-3 text-muted">{t('health.history.more')}</p>}
      <details className="mt-4">
        <summary className="font-medium">{t('health.history.table')}</summary>
        <HistoryTable times={times} strips={strips} step={step} />
      </details>
    </>
  )
}

function lookOf({ attempts, failed }: StripCell): string {
  if (attempts === 0) return 'fill-sunken'
  if (failed === 0) return 'fill-good-solid'
  return failed / attempts < BAD_SHARE ? 'fill-warn-solid' : 'fill-bad-solid'
}

/** The hour or day of a cell with its counts, such as "Nov 25, 14:00 GMT+1: 3 of 12 failed". */
function nameCell({ at, attempts, failed }: StripCell, step: BucketUnit): string {
  const time = step === 'hour' ? writeHour(at) : `${writeUtcDay(at)} UTC`
  if (attempts === 0) return t('health.history.cell.idle', { time })
  return t('health.history.cell', { time, failed, count: attempts })
}

function nameStrip({ channel, cells }: Strip, step: BucketUnit): string {
  const failed = cells.filter((cell) => cell.failed > 0)
  if (failed.length === 0) return t('health.history.without', { channel })
  return t('health.history.with', { channel, cells: failed.map((cell) => nameCell(cell, step)).join('; ') })
}

function StripRow({ strip, step }: { readonly strip: Strip; readonly step: BucketUnit }) {
  const { channel, cells, attempts, failed } = strip
  return (
    <li className="grid gap-x-4 gap-y-1 sm:grid-cols-[10rem_minmax(0,1fr)_8rem] sm:items-center">
      <p className="font-medium break-words">{channel}</p>
      <svg
        viewBox={`0 0 ${cells.length * CELL_WIDTH} ${CELL_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={nameStrip(strip, step)}
        className="block h-7 w-full"
      >
        {cells.map((cell, index) => (
          <rect
            key={cell.at}
            x={index * CELL_WIDTH + 1}
            width={CELL_WIDTH - 2}
            height={CELL_HEIGHT}
            rx={2}
            className={lookOf(cell)}
          >
            <title>{nameCell(cell, step)}</title>
          </rect>
        ))}
      </svg>
      <p className="text-[0.8125rem] text-muted tabular-nums sm:text-right">
        {t('health.history.failed', { share: writeShare(failed / attempts), count: attempts })}
      </p>
    </li>
  )
}

function HistoryTable({ times, strips, step }: Omit<HistoryProps, 'hasMore'>) {
  return (
    <ScrollRegion label={t('health.history')} className="mt-2 overflow-x-auto">
      <table className="text-right text-[0.8125rem] tabular-nums">
        <thead>
          <tr className="border-b border-line text-muted">
            <th className="py-1.5 pr-4 text-left font-medium">{t('health.history.channel')}</th>
            {times.map((at) => (
              <th key={at} className="px-2 font-medium whitespace-nowrap">
                {step === 'hour' ? writeTick(new Date(at), bucketMs.hour) : writeUtcDay(at)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {strips.map(({ channel, cells }) => (
            <tr key={channel} className="border-b border-line">
              <th className="py-1.5 pr-4 text-left font-medium whitespace-nowrap">{channel}</th>
              {cells.map(({ at, attempts, failed }) => (
                <td key={at} className="px-2 whitespace-nowrap">
                  {attempts === 0 ? '–' : `${writeCount(failed)} / ${writeCount(attempts)}`}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
