import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { ConfigProblem } from '../config-error.ts'
import { channelsOf, nameOf } from '../source/document-objects.ts'
import { writePath } from '../source/write-path.ts'
import { mapChannelSecrets, type SecretLocation } from './map-secrets.ts'
import { isMasked, maskSecret } from './mask-secrets.ts'
import { restoreAlertSecrets, SECRET_UNKNOWN } from './restore-alert-secrets.ts'

export interface RestoredSecrets {
  readonly document: JsonObject
  readonly problems: readonly ConfigProblem[]
}

/**
 * Replaces masked values by the stored secrets. A channel whose destination changed does not get them: a change of an
 * address must not send the keys to another server.
 */
export function restoreMaskedSecrets(
  next: JsonObject,
  stored: JsonObject,
  registry: ProviderRegistry,
): RestoredSecrets {
  const problems: ConfigProblem[] = []
  const before = new Map(channelsOf(stored).map((channel) => [nameOf(channel), channel]))
  const { channels } = next
  const alerts = restoreAlertSecrets(next['alerts'], stored['alerts'], problems)
  const document = alerts === undefined ? next : { ...next, alerts }
  if (!Array.isArray(channels)) return { document, problems }
  return { document: { ...document, channels: channels.map(restoreInChannel) }, problems }

  function restoreInChannel(channel: JsonValue, index: number): JsonValue {
    if (!isJsonObject(channel)) return channel
    const known = before.get(nameOf(channel))
    const secrets = known === undefined ? [] : listSecrets(known)
    const hasMoved =
      known !== undefined && destinationOf(known, registry) !== destinationOf(channel, registry)
    return mapChannelSecrets(channel, ['channels', index], (value, location) => {
      if (typeof value !== 'string' || !isMasked(value)) return value
      const restored = findStored(value, location, secrets)
      const message = judge(restored, hasMoved)
      if (message !== undefined) problems.push({ path: writePath(location.path), message, owner: 'api' })
      return restored ?? value
    })
  }
}

const SENT_ELSEWHERE = withFact(
  'must be entered again: the channel now leads elsewhere, and a stored secret does not go along',
  { code: 'stored_secret_not_sent', values: {} },
)

function judge(restored: JsonValue | undefined, hasMoved: boolean): string | undefined {
  if (restored === undefined) return SECRET_UNKNOWN
  if (!hasMoved) return undefined
  return SENT_ELSEWHERE
}

interface StoredSecret extends SecretLocation {
  readonly value: JsonValue
}

function listSecrets(channel: JsonObject): readonly StoredSecret[] {
  const found: StoredSecret[] = []
  mapChannelSecrets(channel, [], (value, location) => {
    found.push({ ...location, value })
    return value
  })
  return found
}

/**
 * Finds the stored secret for a masked value. A secret at the same place comes before one that only has the same mask.
 * A stored value that is itself a mask cannot be used.
 */
function findStored(
  shown: string,
  { kind, path }: SecretLocation,
  secrets: readonly StoredSecret[],
): JsonValue | undefined {
  const location = JSON.stringify(path.slice(2))
  const alike = secrets.filter(
    (secret) =>
      secret.kind === kind &&
      typeof secret.value === 'string' &&
      !isMasked(secret.value) &&
      maskSecret(secret.value, secret) === shown,
  )
  const same = alike.find((secret) => JSON.stringify(secret.path) === location)
  // Headers and settings are matched by their names. Keys may change their order.
  return (same ?? (kind === 'keys' ? alike[0] : undefined))?.value
}

/** Everything that decides where a secret is sent. Other parts of an address may change. */
function destinationOf(channel: JsonObject, registry: ProviderRegistry): string {
  const { provider, base_url, proxy, ca_file, credentials } = channel
  const known = typeof provider === 'string' ? registry.find(provider) : undefined
  const own = known?.baseUrlOf?.(textsOf(credentials)) ?? known?.baseUrl
  const address = typeof base_url === 'string' ? base_url : own
  return JSON.stringify([originOf(address), originOf(proxy), ca_file])
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : []
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  )
}

function originOf(address: JsonValue | undefined): JsonValue | undefined {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : address
}
