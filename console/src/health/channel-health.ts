import { queryOptions } from '@tanstack/react-query'
import { healthViewSchema } from '../../../src/admin/health-contract.ts'
import { callApi } from '../api/call-api.ts'
import { writeDuration } from '../language/format.ts'
import { findText, t } from '../language/language.ts'
import type { Tone } from '../ui/badge.tsx'
import type { HealthLine, ReportedState } from './sum-up-health.ts'

const REFRESH_MS = 5_000

/** The health of every channel, polled while the page is shown. */
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

export function nameReason(reason: string): string {
  return findText(`health.reason.${reason}`) ?? reason
}

/**
 * The reason of a state and the time left, such as "rate limited, 12 s left". If only an operator can end the state,
 * the time left is the time until the next attempt.
 */
export function describeReason(line: HealthLine): string | undefined {
  const { reason: name, operations, wait_ms: waitMs, needs_operator } = line
  if (name === null) return undefined
  const reason = nameReasonFor(name, operations)
  if (waitMs <= 0) return reason
  const values = { reason, wait: writeDuration(waitMs) }
  return needs_operator ? t('health.reason_and_retry', values) : t('health.reason_and_wait', values)
}

/** The reason, with the operations that it concerns. `operations` is null if it concerns all. */
export function nameReasonFor(name: string, operations: readonly string[] | null): string {
  const reason = nameReason(name)
  return operations === null
    ? reason
    : t('health.reason_for', { reason, operations: operations.map(nameOperation).join(', ') })
}

function nameOperation(operation: string): string {
  return findText(`health.operation.${operation}`) ?? operation
}
