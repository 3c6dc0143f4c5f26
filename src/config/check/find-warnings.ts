import { X509Certificate } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'
import { createCatalog } from '../../catalog/create-catalog.ts'
import { isLoopback } from '../../kit/net/listen-address-schema.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Config } from '../config.ts'
import { isPrivateUrl } from './check-base-url.ts'
import { warnOfLimits } from './warn-of-limits.ts'
import { warnOfPrices } from './warn-of-prices.ts'

/** The warnings about what works but is likely not meant. */
export function findWarnings(config: Omit<Config, 'warnings' | 'file'>): readonly string[] {
  const catalog = catalogOf(config)
  return [
    ...(config.source.type === 'discovered' ? (config.source.warnings ?? []) : []),
    ...warnOfListener(config),
    ...warnOfCertificate(config),
    ...warnOfChannels(config.channels),
    ...warnOfWeights(config),
    ...warnOfLimits(config, catalog.unlisted.length > 0 ? undefined : catalog),
    ...warnOfPrices(config, config.keys, catalog),
  ]
}

function warnOfListener({
  listen,
  admin,
  publicUrl,
  trustedProxies,
  tls,
}: Omit<Config, 'warnings' | 'file'>): readonly string[] {
  if (isLoopback(listen)) return []
  const warnings: string[] = []
  if (admin.type === 'off') {
    warnings.push(
      'admin: the admin API and the metrics are off, since others can reach the listener; give admin.listen',
    )
  }
  if (tls === undefined && publicUrl === undefined && trustedProxies.length === 0) {
    warnings.push('listen: keys travel unencrypted unless a proxy in front of this address serves https')
  }
  return warnings
}

function warnOfCertificate({ tls }: Omit<Config, 'warnings' | 'file'>): readonly string[] {
  if (tls === undefined) return []
  const { validFromDate, validToDate } = new X509Certificate(tls.cert)
  if (validFromDate.getTime() > systemClock.nowMs()) {
    return [`tls.cert: the certificate counts only from ${validFromDate.toISOString()} on`]
  }
  if (validToDate.getTime() >= systemClock.nowMs()) return []
  return [`tls.cert: the certificate ended on ${validToDate.toISOString()}`]
}

function warnOfChannels(channels: readonly Channel[]): readonly string[] {
  if (channels.length === 0) return ['channels: there is none, so no model can be served']
  return channels
    .filter(({ baseUrl, credentials }) => credentials.length > 0 && baseUrl.startsWith('http://'))
    .filter(({ baseUrl }) => !isPrivateUrl(new URL(baseUrl)))
    .map(({ name }) => `channels: "${name}" sends its key unencrypted; use https`)
}

/** Targets share by weight within one priority alone. */
function warnOfWeights({ models, channels }: Pick<Config, 'models' | 'channels'>): readonly string[] {
  const priorities = new Map(channels.map(({ name, priority }) => [name, priority]))
  return models.flatMap(({ publicName, targets = [] }) => {
    const ofTargets = new Set(targets.map(({ channel }) => priorities.get(channel)))
    if (ofTargets.size < 2 || !targets.some(({ weight }) => weight !== undefined)) return []
    return [
      `models: "${publicName}" has weights, but its targets share only where their channels have one priority`,
    ]
  })
}

/** The catalog as far as it is known before upstreams send their lists. */
function catalogOf({
  channels,
  models,
  findKnownModel,
}: Pick<Config, 'channels' | 'models' | 'findKnownModel'>): Catalog {
  return createCatalog({ channels, entries: models, lists: new Map(), createdAtSeconds: 0, findKnownModel })
}
