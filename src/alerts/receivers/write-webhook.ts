import { writeTime } from '../../kit/time/write-time.ts'
import { type Alert, type AlertEvent, messageOf } from '../alert.ts'

/** The body for a generic webhook. Its `text` is a single line, as the webhooks of chat services expect. */
export function writeWebhookBody({ alert }: AlertEvent, nowMs: number): string {
  const message = messageOf(alert)
  const advice = alert.resolved === undefined ? (alert.advice ?? null) : null
  return JSON.stringify({
    type: typeOf(alert),
    at: writeTime(nowMs),
    since: writeTime(alert.openedAtMs),
    alert: alert.id,
    kind: alert.kind,
    rule: alert.rule,
    severity: alert.severity,
    status: alert.resolved === undefined ? 'open' : 'resolved',
    resolution: alert.resolved?.as ?? null,
    ...alert.details,
    message,
    advice,
    text: `Headgate: ${advice === null ? message : `${message}. ${advice}`}`,
  })
}

/** The `type` by which programs distinguish alerts. */
function typeOf({ kind, resolved, level, details }: Alert): string {
  if (details['test'] === true) return 'test'
  switch (kind) {
    case 'channel-down':
    case 'credential':
    case 'model':
      if (resolved === undefined) return 'health.impaired'
      return resolved.as === 'recovered' ? 'health.recovered' : 'health.reset'
    case 'budget':
      return resolved === undefined ? 'budget.threshold' : 'budget.resolved'
    case 'disk':
      if (resolved !== undefined) return 'disk.recovered'
      return level > 1 ? 'disk.nearly_full' : 'disk.low'
    case 'error-rate':
    case 'latency':
    case 'key-expiry':
    case 'certificate-expiry':
    case 'unpriced':
      return `${kind.replace('-', '_')}.${resolved === undefined ? 'open' : 'resolved'}`
  }
}
