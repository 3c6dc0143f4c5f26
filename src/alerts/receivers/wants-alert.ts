import { type Alert, type AlertEvent, isSevere } from '../alert.ts'
import { matchesAny } from '../match-names.ts'
import type { AlertReceiver } from './receiver-schema.ts'

/**
 * Whether a receiver gets reports of an alert by its filters. An alert about no channel passes the filter of
 * channels.
 */
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
