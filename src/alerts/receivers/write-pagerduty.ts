import { createHash } from 'node:crypto'
import { writeTime } from '../../kit/time/write-time.ts'
import type { AlertEvent, Severity } from '../alert.ts'
import { describeAlert } from './describe-alert.ts'
import { fitText } from './fit-text.ts'

// Events API v2 (https://developer.pagerduty.com/docs/send-alert-event, seen in a copy, 2026-11-24).
const MAX_SUMMARY_CHARACTERS = 1_024
const MAX_DEDUP_CHARACTERS = 255
const MAX_VALUE_CHARACTERS = 1_024

const severities: Readonly<Record<Severity, string>> = {
  info: 'info',
  warning: 'warning',
  critical: 'critical',
}

export interface PagerDutyOptions {
  readonly routingKey: string
  /** This installation, as PagerDuty's `source` of the event. */
  readonly source: string
}

/** Each problem makes one incident: the events for its start and end share a `dedup_key`. */
export function writePagerDutyBody(event: AlertEvent, { routingKey, source }: PagerDutyOptions): string {
  const { alert } = event
  const { title, message, advice, facts } = describeAlert(event)
  const details = Object.fromEntries(
    facts.map(([name, value]) => [name.toLowerCase(), fitText(value, MAX_VALUE_CHARACTERS)]),
  )
  return JSON.stringify({
    routing_key: routingKey,
    event_action: alert.resolved === undefined ? 'trigger' : 'resolve',
    dedup_key: dedupKeyOf(alert.identity),
    client: 'Headgate',
    payload: {
      summary: fitText(`${title}: ${message}`, MAX_SUMMARY_CHARACTERS),
      source: fitText(source, MAX_VALUE_CHARACTERS),
      severity: severities[alert.severity],
      timestamp: writeTime(alert.resolved?.atMs ?? alert.openedAtMs),
      component: fitText(alert.subject.channel ?? alert.subject.model ?? alert.kind, MAX_VALUE_CHARACTERS),
      class: alert.kind,
      custom_details: { ...details, ...(advice !== undefined && { advice }) },
    },
  })
}

function dedupKeyOf(identity: string): string {
  const key = `headgate/${identity}`
  if (key.length <= MAX_DEDUP_CHARACTERS) return key
  return `headgate/${createHash('sha256').update(identity).digest('hex')}`
}
