import { type Alert, type AlertEvent, higherSeverity, isSevere } from '../alert.ts'
import { matchesAny } from '../match-names.ts'
import type { AlertReceiver } from './receiver-schema.ts'

/** Whether the receiver's filters admit an alert. An alert that is not about a channel passes the channel filter. */
export function wantsAlert(
  { kinds, minSeverity, channels }: AlertReceiver,
  { kind, severity, subject: { channel } }: Pick<Alert, 'kind' | 'severity' | 'subject'>,
): boolean {
  if (kinds !== undefined && !kinds.includes(kind)) return false
  if (!isSevere(severity, minSeverity)) return false
  return channel === undefined || matchesAny(channels, channel)
}

/**
 * Whether the receiver gets an event. A receiver that got an alert also hears that it became less severe, and that it
 * ended: without the end, an incident at PagerDuty stays open.
 */
export function wantsEvent(receiver: AlertReceiver, { type, alert, severityBefore }: AlertEvent): boolean {
  if (type === 'resolved')
    return receiver.getsResolved && wantsAlert(receiver, { ...alert, severity: alert.peakSeverity })
  const severity = higherSeverity(alert.severity, severityBefore ?? alert.severity)
  return wantsAlert(receiver, { ...alert, severity })
}
