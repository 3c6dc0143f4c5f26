import { type Alert, type AlertEvent, isSevere } from '../alert.ts'
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

export function wantsEvent(receiver: AlertReceiver, { type, alert }: AlertEvent): boolean {
  return wantsAlert(receiver, alert) && (type !== 'resolved' || receiver.getsResolved)
}
