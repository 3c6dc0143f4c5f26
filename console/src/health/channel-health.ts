import { queryOptions } from '@tanstack/react-query'
import { type HealthView, healthViewSchema } from '../../../src/admin/health-contract.ts'
import { callApi } from '../api/call-api.ts'
import { writeDuration } from '../language/format.ts'
import { findText, t } from '../language/language.ts'
import type { Tone } from '../ui/badge.tsx'

export type HealthLine = HealthView['data'][number]
export type ReportedState = HealthLine['state']

const REFRESH_MS = 5_000

/** The health of every channel, read again while the page is shown. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => callApi({ path: '/health', answer: healthViewSchema, signal }),
  refetchInterval: REFRESH_MS,
})

export const stateTones: Readonly<Record<ReportedState, Tone>> = {
  healthy: 'good',
  degraded: 'warn',
  'half-open': 'warn',
  open: 'bad',
}

const badness: Readonly<Record<ReportedState, number>> = { healthy: 0, degraded: 1, 'half-open': 2, open: 3 }

export interface ChannelState {
  /** The state of the whole: a fault of one of several credentials or models makes it degraded. */
  readonly state: ReportedState | 'unused'
  /** The line that says most about it. */
  readonly worst: HealthLine | undefined
}

/** Sums up the lines of one channel. Without any, nothing was asked of it since the start. */
export function sumUpHealth(lines: readonly HealthLine[]): ChannelState {
  const [worst] = lines.toSorted((one, other) => badness[other.state] - badness[one.state])
  if (worst === undefined) return { state: 'unused', worst: undefined }
  const isWhole = worst.scope === 'channel' || lines.every(({ state }) => state === worst.state)
  return { state: worst.state === 'healthy' || isWhole ? worst.state : 'degraded', worst }
}

export function nameReason(reason: string): string {
  return findText(`health.reason.${reason}`) ?? reason
}

/** The reason of a state and how long it lasts, such as "rate limited, 12 s left". */
export function describeReason({ reason, wait_ms: waitMs }: HealthLine): string | undefined {
  if (reason === null) return undefined
  if (waitMs <= 0) return nameReason(reason)
  return t('health.reason_and_wait', { reason: nameReason(reason), wait: writeDuration(waitMs) })
}
