import type { ReactNode } from 'react'
import {
  writeDay,
  writeDistance,
  writeMoment,
  writePrice,
  writeRowUsd,
  writeUsd,
  writeUtc,
  writeZonedMoment,
} from '../language/format.ts'
import { nowMs } from '../time/clock.ts'
import { classNames } from './class-names.ts'

interface TimeTextProps {
  readonly at: string
  readonly style?: 'moment' | 'day' | 'distance'
}

/**
 * A time in the viewer's time zone. The tooltip has the zone's name and the time in UTC. A distance may wrap, so that
 * narrow cells show it whole.
 */
export function TimeText({ at, style = 'moment' }: TimeTextProps) {
  const text =
    style === 'distance' ? writeDistance(at, nowMs()) : style === 'day' ? writeDay(at) : writeMoment(at)
  const hint = `${writeZonedMoment(at)} · ${writeUtc(at)}`
  return (
    <time
      dateTime={at}
      title={hint}
      className={classNames(style !== 'distance' && 'whitespace-nowrap', 'tabular-nums')}
    >
      {text}
    </time>
  )
}

interface MoneyTextProps {
  readonly usd: number | null
  readonly style?: 'whole' | 'row'
}

/** US dollars. If the text is rounded, the tooltip has the exact amount. */
export function MoneyText({ usd, style = 'whole' }: MoneyTextProps) {
  if (usd === null) return <Absent />
  return (
    <span title={writePrice(usd)} className="whitespace-nowrap tabular-nums">
      {style === 'row' ? writeRowUsd(usd) : writeUsd(usd)}
    </span>
  )
}

/** The sign for a missing value. */
export function Absent() {
  return <span className="text-muted">–</span>
}

export function Code({ children }: { readonly children: ReactNode }) {
  return <code className="rounded bg-sunken px-1 py-0.5 break-words">{children}</code>
}
