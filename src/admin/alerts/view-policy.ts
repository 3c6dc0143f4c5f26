import type { AlertRule } from '../../alerts/alert-rule-schema.ts'
import type { AlertPolicy } from '../../alerts/alert-schema.ts'
import type { AlertReceiver } from '../../alerts/receivers/receiver-schema.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'

/** The section `alerts` as it is in force, without secrets. */
export function writeAlerts({ receivers, rules, repeatMs }: AlertPolicy): JsonObject {
  return {
    receivers: receivers.map(writeReceiver),
    rules: rules.map(writeRule),
    repeat: writeDuration(repeatMs),
  }
}

/** A receiver shows only its origin. The rest of its address is often a secret, and so are header values. */
function writeReceiver(receiver: AlertReceiver): JsonObject {
  const { name, type, url, headers, secret, kinds, minSeverity, channels, getsResolved, allowPrivate } =
    receiver
  return {
    name,
    type,
    url: `${new URL(url).origin}/…`,
    headers: Object.keys(headers),
    signed: secret !== undefined,
    severity: minSeverity,
    resolved: getsResolved,
    allow_private: allowPrivate,
    ...(kinds !== undefined && { kinds: [...kinds] }),
    ...(channels !== undefined && { channels: [...channels] }),
  }
}

/** A rule in the words of the configuration. */
export function writeRule(rule: AlertRule): JsonObject & Pick<AlertRule, 'name' | 'kind'> {
  const { name, kind, severity, repeatMs, channels, models } = rule
  return {
    name,
    kind,
    ...omitUndefined(writeTerms(rule)),
    ...omitUndefined({ severity, repeat: repeatMs === undefined ? undefined : writeDuration(repeatMs) }),
    ...(channels !== undefined && { channels: [...channels] }),
    ...(models !== undefined && { models: [...models] }),
  }
}

function writeTerms(rule: AlertRule): Readonly<Record<string, string | number | undefined>> {
  switch (rule.kind) {
    case 'error-rate':
      return { ...writeTraffic(rule), above: rule.above, below: rule.below }
    case 'latency':
      return {
        ...writeTraffic(rule),
        of: rule.of,
        percentile: rule.percentile,
        above: writeDuration(rule.aboveMs),
        below: writeDuration(Math.round(rule.belowMs)),
      }
    case 'channel-down':
      return { for: writeDuration(rule.forMs) }
    case 'key-expiry':
    case 'certificate-expiry':
      return { before: writeDuration(rule.beforeMs) }
    case 'unpriced':
      return { within: writeDuration(rule.withinMs) }
    case 'credential':
    case 'model':
    case 'budget':
    case 'disk':
      return {}
  }
}

function writeTraffic({
  by,
  windowMs,
  minRequests,
}: Extract<AlertRule, { kind: 'error-rate' | 'latency' }>): Readonly<Record<string, string | number>> {
  return { by, window: writeDuration(windowMs), min_requests: minRequests }
}
