import { writeDuration } from '../../kit/time/write-duration.ts'
import type { Alert, AlertSubject, Condition } from '../alert.ts'
import type { TrafficRule } from '../alert-rule-schema.ts'

/** The measured value of one window. */
export interface TrafficValue {
  /** The name of the channel or model; empty for the installation. */
  readonly name: string
  /** Percent, or milliseconds. */
  readonly value: number
  readonly count: number
  readonly failures: number
}

export function trafficIdentity({ kind, name: rule, by }: TrafficRule, name: string): string {
  return `${kind}:${JSON.stringify([rule, by, name])}`
}

export function trafficCondition(rule: TrafficRule, measured: TrafficValue): Condition {
  const { name, count, failures } = measured
  const threshold = rule.kind === 'error-rate' ? rule.above : rule.aboveMs
  const value = Math.round(measured.value * 10) / 10
  return {
    identity: trafficIdentity(rule, name),
    kind: rule.kind,
    rule: rule.name,
    severity: rule.severity ?? (rule.kind === 'error-rate' ? 'critical' : 'warning'),
    level: 1,
    subject: subjectOf(rule, name),
    message: describe(rule, { ...measured, value }),
    advice:
      rule.kind === 'error-rate'
        ? 'See the failed requests: "headgate logs --status 5xx"; "headgate health --channels" shows which channels are out of rotation.'
        : '"headgate logs --min-ms" shows slow requests; another channel or a higher weight of a faster one takes load away.',
    details: {
      by: rule.by,
      name: rule.by === 'installation' ? null : name,
      window: writeDuration(rule.windowMs),
      requests: count,
      value,
      threshold,
      ...(rule.kind === 'error-rate' ? { failures } : { of: rule.of, percentile: rule.percentile }),
    },
  }
}

function subjectOf({ by }: TrafficRule, name: string): AlertSubject {
  if (by === 'installation') return {}
  return by === 'channel' ? { channel: name } : { model: name }
}

function writeSubject({ by }: TrafficRule, name: string): string {
  return by === 'installation' ? 'all requests' : `${by} ${name}`
}

function describe(rule: TrafficRule, { name, value, count, failures }: TrafficValue): string {
  const subject = writeSubject(rule, name)
  const span = `within ${writeDuration(rule.windowMs)}`
  if (rule.kind === 'error-rate') {
    const calls = rule.by === 'channel' ? 'calls' : 'requests'
    return `${subject}: ${value} % of ${count} ${calls} failed ${span} (${failures}); the rule allows ${rule.above} %`
  }
  const noun = rule.of === 'first-token' ? 'the first token' : 'the whole answer'
  return `${subject}: ${rule.percentile} % of ${count} answers have ${noun} after up to ${Math.round(value)} ms ${span}; the rule allows ${rule.aboveMs} ms`
}

/** The line that says why a traffic alert ended. */
export function describeTrafficEnd(
  rule: TrafficRule,
  { details }: Pick<Alert, 'details'>,
  end: 'recovered' | 'no-data',
): string {
  const { name, value } = details
  const subject = writeSubject(rule, typeof name === 'string' ? name : '')
  if (end === 'no-data')
    return `${subject}: too few requests within ${writeDuration(rule.windowMs)} to judge by`
  const amount = typeof value === 'number' ? value : 0
  return rule.kind === 'error-rate'
    ? `${subject}: ${amount} % failed within ${writeDuration(rule.windowMs)}, which is below ${rule.below} %`
    : `${subject}: ${Math.round(amount)} ms within ${writeDuration(rule.windowMs)}, which is below ${Math.round(rule.belowMs)} ms`
}
