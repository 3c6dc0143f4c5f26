import { X509Certificate } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'
import { createCatalog } from '../../catalog/create-catalog.ts'
import { isLoopback } from '../../kit/net/listen-address-schema.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Config } from '../config.ts'
import type { ConfigWarning } from '../config-warning.ts'
import { isPrivateUrl } from './check-base-url.ts'
import { warnOfLimits } from './warn-of-limits.ts'
import { warnOfPrices } from './warn-of-prices.ts'

/** Finds warnings about settings that work but are probably not intended. */
export function findWarnings(config: Omit<Config, 'warnings' | 'file'>): readonly ConfigWarning[] {
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
}: Omit<Config, 'warnings' | 'file'>): readonly ConfigWarning[] {
  if (isLoopback(listen)) return []
  const warnings: ConfigWarning[] = []
  if (admin.type === 'off') warnings.push({ kind: 'admin_off', values: {} })
  if (tls === undefined && publicUrl === undefined && trustedProxies.length === 0) {
    warnings.push({ kind: 'unencrypted_listener', values: {} })
  }
  return warnings
}

function warnOfCertificate({ tls }: Omit<Config, 'warnings' | 'file'>): readonly ConfigWarning[] {
  if (tls === undefined) return []
  const { validFromDate, validToDate } = new X509Certificate(tls.cert)
  if (validFromDate.getTime() > systemClock.nowMs()) {
    return [{ kind: 'certificate_early', values: { at: validFromDate.toISOString() } }]
  }
  if (validToDate.getTime() >= systemClock.nowMs()) return []
  return [{ kind: 'certificate_ended', values: { at: validToDate.toISOString() } }]
}

function warnOfChannels(channels: readonly Channel[]): readonly ConfigWarning[] {
  if (channels.length === 0) return [{ kind: 'no_channels', values: {} }]
  return channels
    .filter(({ baseUrl, credentials }) => credentials.length > 0 && baseUrl.startsWith('http://'))
    .filter(({ baseUrl }) => !isPrivateUrl(new URL(baseUrl)))
    .map(({ name }) => ({ kind: 'unencrypted_channel', values: { channel: name } }))
}

/** Warns about weights without effect. Targets share by weight only within one priority. */
function warnOfWeights({ models, channels }: Pick<Config, 'models' | 'channels'>): readonly ConfigWarning[] {
  const priorities = new Map(channels.map(({ name, priority }) => [name, priority]))
  return models.flatMap(({ publicName, targets = [] }) => {
    const ofTargets = new Set(targets.map(({ channel }) => priorities.get(channel)))
    if (ofTargets.size < 2 || !targets.some(({ weight }) => weight !== undefined)) return []
    return [{ kind: 'split_weights', values: { model: publicName } }]
  })
}

/** The catalog as far as it is known before upstreams send their model lists. */
function catalogOf({
  channels,
  models,
  findKnownModel,
}: Pick<Config, 'channels' | 'models' | 'findKnownModel'>): Catalog {
  return createCatalog({ channels, entries: models, lists: new Map(), createdAtSeconds: 0, findKnownModel })
}
