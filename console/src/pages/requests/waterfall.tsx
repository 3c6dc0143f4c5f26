import type { RequestDetailView } from '../../../../src/admin/requests/request-contract.ts'
import { writeDuration } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { MoneyText } from '../../ui/text.tsx'
import { planWaterfall, type Stretch, type WaterfallLine } from './plan-waterfall.ts'
import { writeCause } from './write-cause.ts'

const fills: Readonly<Record<Stretch['type'], string>> = {
  receive: 'fill-series-8',
  queue: 'fill-series-7',
  wait: 'fill-warn-solid',
  connect: 'fill-series-5',
  think: 'fill-series-4',
  answer: 'fill-series-2',
  failed: 'fill-bad-solid',
}

/** The attempts of a request on a time axis, with the waits between them. */
export function Waterfall({ shown }: { readonly shown: RequestDetailView }) {
  const lines = planWaterfall(shown)
  const lastMs = lines.flatMap(({ stretches }) => stretches.map(({ endMs }) => endMs))
  const wholeMs = Math.max(1, shown.total_ms, ...lastMs)
  const used = new Set(lines.flatMap(({ stretches }) => stretches.filter(isVisible).map(({ type }) => type)))
  if (used.size === 0) return null
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('waterfall.title')}</h3>
      <ul className="space-y-2.5">
        {lines.map((line) => (
          <Line key={line.number} line={line} wholeMs={wholeMs} />
        ))}
      </ul>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {[...used].map((type) => (
          <li key={type} className="flex items-center gap-1.5">
            <svg viewBox="0 0 8 8" aria-hidden="true" className="size-2.5">
              <rect width="8" height="8" rx="2" className={fills[type]} />
            </svg>
            {t(`waterfall.${type}`)}
          </li>
        ))}
      </ul>
    </section>
  )
}

const isVisible = ({ startMs, endMs }: Stretch) => endMs > startMs

interface LineProps {
  readonly line: WaterfallLine
  readonly wholeMs: number
}

function Line({ line: { attempt, stretches }, wholeMs }: LineProps) {
  const described = stretches
    .filter(isVisible)
    .map(({ type, startMs, endMs }) => `${t(`waterfall.${type}`)} ${writeDuration(endMs - startMs)}`)
    .join(', ')
  if (attempt === undefined && described === '') return null
  return (
    <li>
      <div className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-0.5">
        {attempt === undefined ? (
          <span className="text-muted">{t('waterfall.before')}</span>
        ) : (
          <AttemptName attempt={attempt} />
        )}
      </div>
      <svg
        role="img"
        aria-label={described}
        viewBox="0 0 1000 12"
        preserveAspectRatio="none"
        className="h-3 w-full rounded bg-sunken"
      >
        <title>{described}</title>
        {stretches.filter(isVisible).map(({ type, startMs, endMs }) => (
          <rect
            key={type}
            x={(startMs / wholeMs) * 1_000}
            width={Math.max(2, ((endMs - startMs) / wholeMs) * 1_000)}
            height="12"
            className={fills[type]}
          />
        ))}
      </svg>
    </li>
  )
}

function AttemptName({ attempt }: { readonly attempt: RequestDetailView['attempts'][number] }) {
  const {
    channel,
    upstream_model: model,
    outcome,
    upstream_status: status,
    cause,
    cause_fact: fact,
    lane,
    total_ms: totalMs,
  } = attempt
  const isAnswered = outcome === 'answered'
  const said = cause === null ? undefined : writeCause(cause, fact)
  return (
    <>
      <span className="font-medium">{channel}</span>
      <span className="text-muted">{model}</span>
      <Badge tone={isAnswered ? 'good' : 'bad'} title={said ?? outcome}>
        {isAnswered ? t('requests.answered') : outcome}
      </Badge>
      {status !== null && !isAnswered && <Badge>{status}</Badge>}
      <Badge>{findText(`lane.${lane}`) ?? lane}</Badge>
      <span className="ml-auto whitespace-nowrap text-muted tabular-nums">
        {writeDuration(totalMs)} · <MoneyText usd={attempt.cost_usd} />
      </span>
      {said !== undefined && <span className="w-full text-[0.8125rem] break-words text-muted">{said}</span>}
    </>
  )
}
