import type { AlertView } from '../../../../src/admin/alerts/alert-contract.ts'
import { nameReasonFor } from '../../health/channel-health.ts'
import { writeBytes, writeDuration, writeMoment, writeShare, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameCredential } from '../../routing/name-parts.ts'

/**
 * The problem of an alert in the language of the console. For details that the console does not know, the gateway's
 * own text is shown.
 */
export function describeAlert(alert: AlertView): string {
  return describe(alert) ?? alert.message
}

function describe({ kind, details }: AlertView): string | undefined {
  const read = readDetails(details)
  switch (kind) {
    case 'channel-down':
      return withAll({ channel: read.text('channel'), reason: read.reason() }, (values) =>
        t('alerts.says.channel-down', values),
      )
    case 'credential':
    case 'model':
      return withAll({ target: read.target(), reason: read.reason() }, (values) =>
        t('alerts.says.out', values),
      )
    case 'error-rate':
    case 'latency':
      return describeTraffic(kind, details, read)
    case 'budget':
      return withAll(
        { budget: read.budget(), percent: read.percent('percent'), limit: read.usd('limit_usd') },
        (values) => t('alerts.says.budget', values),
      )
    case 'key-expiry':
      return withAll({ name: read.text('name'), at: read.moment('expires_at') }, (values) =>
        t('alerts.says.key-expiry', values),
      )
    case 'certificate-expiry':
      return withAll({ name: read.text('name'), at: read.moment('expires_at') }, (values) =>
        t('alerts.says.certificate-expiry', values),
      )
    case 'unpriced':
      return withAll({ model: read.text('model'), targets: read.list('targets') }, (values) =>
        t('alerts.says.unpriced', values),
      )
    case 'disk':
      return withAll({ free: read.bytes('free_bytes'), total: read.bytes('total_bytes') }, (values) =>
        t('alerts.says.disk', values),
      )
  }
}

function describeTraffic(
  kind: 'error-rate' | 'latency',
  details: AlertView['details'],
  read: ReturnType<typeof readDetails>,
): string | undefined {
  const shared = { subject: read.subject(), count: read.number('requests'), window: read.text('window') }
  if (kind === 'error-rate')
    return withAll(
      {
        ...shared,
        failures: read.number('failures'),
        share: read.percent('value'),
        threshold: read.percent('threshold'),
      },
      (values) => t('alerts.says.error-rate', values),
    )
  const key = details['of'] === 'first-token' ? 'alerts.says.first-token' : 'alerts.says.whole-answer'
  return withAll(
    {
      ...shared,
      percentile: read.number('percentile'),
      value: read.duration('value'),
      threshold: read.duration('threshold'),
    },
    (values) => t(key, values),
  )
}

type Values = Record<string, string | number>

/** The text with its values. Undefined if a value is missing. */
function withAll(
  values: Readonly<Record<string, string | number | undefined>>,
  write: (values: Values) => string,
): string | undefined {
  const known: Values = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) return undefined
    known[name] = value
  }
  return write(known)
}

function readDetails(details: AlertView['details']) {
  const text = (name: string): string | undefined => {
    const value = details[name]
    return typeof value === 'string' ? value : undefined
  }
  /** Null if there is no list. */
  const texts = (name: string): readonly string[] | null => {
    const value = details[name]
    return Array.isArray(value) ? value.map((each) => String(each)) : null
  }
  const number = (name: string): number | undefined => {
    const value = details[name]
    return typeof value === 'number' ? value : undefined
  }
  const written = <Read>(value: Read | undefined, write: (value: Read) => string): string | undefined =>
    value === undefined ? undefined : write(value)
  return {
    text,
    number,
    percent: (name: string) => written(number(name), (value) => writeShare(value / 100)),
    duration: (name: string) => written(number(name), writeDuration),
    usd: (name: string) => written(number(name), writeUsd),
    bytes: (name: string) => written(number(name), writeBytes),
    moment: (name: string) => written(text(name), writeMoment),
    reason: () => written(text('reason'), (reason) => nameReasonFor(reason, texts('operations'))),
    list: (name: string) => texts(name)?.join(', '),
    target: () =>
      written(text('channel'), (channel) =>
        [channel, text('upstream_model'), written(text('credential'), nameCredential)]
          .filter((part) => part !== undefined)
          .join(' · '),
      ),
    subject: () => (details['by'] === 'installation' ? t('alerts.says.all') : text('name')),
    budget: () =>
      written(text('budget'), (budget) => {
        const value = text('value')
        return value === undefined ? budget : `${budget} · ${value}`
      }),
  }
}
