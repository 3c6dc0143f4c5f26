import { writeTime } from '../../kit/time/write-time.ts'
import { type Alert, type AlertEvent, type AlertKind, messageOf, type Severity } from '../alert.ts'

/** The parts of an alert that every receiver shows, in reading order. */
export interface AlertWords {
  readonly title: string
  readonly message: string
  readonly advice: string | undefined
  /** Pairs of name and value. */
  readonly facts: readonly (readonly [string, string])[]
}

const kindTitles: Readonly<Record<AlertKind, string>> = {
  'channel-down': 'Channel down',
  credential: 'Credential refused',
  model: 'Model missing at the provider',
  'error-rate': 'Too many errors',
  latency: 'Too slow',
  budget: 'Budget',
  'key-expiry': 'Key expires',
  'certificate-expiry': 'Certificate expires',
  unpriced: 'Model without a price in use',
  disk: 'Disk fills up',
}

const severityTitles: Readonly<Record<Severity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
}

export function describeAlert({ type, alert }: AlertEvent): AlertWords {
  const { kind, severity, resolved, details } = alert
  if (details['test'] === true)
    return { title: 'Test', message: alert.message, advice: undefined, facts: listFacts(alert) }
  const state = resolved === undefined ? severityTitles[severity] : 'Resolved'
  return {
    title: `${state}: ${kindTitles[kind]}${type === 'repeated' ? ' (still)' : ''}`,
    message: messageOf(alert),
    advice: resolved === undefined ? alert.advice : undefined,
    facts: listFacts(alert),
  }
}

function listFacts({ subject, rule, openedAtMs, resolved, id }: Alert): AlertWords['facts'] {
  const objects = Object.entries(subject).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.charAt(0).toUpperCase() + name.slice(1), value] as const] : [],
  )
  return [
    ...objects,
    ['Since', writeTime(openedAtMs)],
    ...(resolved === undefined ? [] : [['Until', writeTime(resolved.atMs)] as const]),
    ['Rule', rule],
    ['Alert', id],
  ]
}
