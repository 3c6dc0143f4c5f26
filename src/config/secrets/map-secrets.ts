import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { isSecretName } from './is-secret-name.ts'

/**
 * The channel field that contains a secret. `keys` means those of `api_key` and `api_keys`. `address` is the address of
 * an alert receiver, which is secret except for its origin.
 */
export type SecretKind = 'keys' | 'headers' | 'credentials' | 'proxy' | 'address'

export interface SecretLocation {
  readonly kind: SecretKind
  /** The path from the document's root. */
  readonly path: ConfigPath
}

/** Maps a secret to its replacement, which may be a text or, at rest, another value. */
export type SecretMapper = (secret: JsonValue, location: SecretLocation) => JsonValue

/** Applies `map` to every value of the document that must never be shown. Malformed parts stay unchanged. */
export function mapSecrets(document: JsonObject, map: SecretMapper): JsonObject {
  const { channels, alerts } = document
  const mapped = isJsonObject(alerts) ? { ...document, alerts: mapAlertSecrets(alerts, map) } : document
  if (!isJsonArray(channels)) return mapped
  return {
    ...mapped,
    channels: channels.map((channel, index) =>
      isJsonObject(channel) ? mapChannelSecrets(channel, ['channels', index], map) : channel,
    ),
  }
}

export function mapChannelSecrets(channel: JsonObject, path: ConfigPath, map: SecretMapper): JsonObject {
  const at = (kind: SecretKind, ...steps: ConfigPath): SecretLocation => ({ kind, path: [...path, ...steps] })
  const mapNamed = (kind: 'headers' | 'credentials', value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, item = null]) => [
        name,
        isSecretName(name) ? map(item, at(kind, kind, name)) : item,
      ]),
    )
  const { api_key, api_keys, headers, credentials, proxy } = channel
  return {
    ...channel,
    ...(api_key !== undefined && { api_key: map(api_key, at('keys', 'api_key')) }),
    ...(isJsonArray(api_keys) && {
      api_keys: api_keys.map((key, index) => map(key, at('keys', 'api_keys', index))),
    }),
    ...(isJsonObject(headers) && { headers: mapNamed('headers', headers) }),
    ...(isJsonObject(credentials) && { credentials: mapNamed('credentials', credentials) }),
    ...(proxy !== undefined && holdsPassword(proxy) && { proxy: map(proxy, at('proxy', 'proxy')) }),
  }
}

/** Applies `map` to the secrets of the receivers in the section `alerts`. */
export function mapAlertSecrets(alerts: JsonObject, map: SecretMapper): JsonObject {
  const { receivers } = alerts
  const mapped = mapReceiverSecrets(alerts, ['alerts'], map)
  if (!isJsonArray(receivers)) return mapped
  return {
    ...mapped,
    receivers: receivers.map((receiver, index) =>
      isJsonObject(receiver) ? mapReceiverSecrets(receiver, ['alerts', 'receivers', index], map) : receiver,
    ),
  }
}

/**
 * Applies `map` to the secret members of a receiver. `webhook` is the address where the section itself is the receiver.
 */
function mapReceiverSecrets(receiver: JsonObject, path: ConfigPath, map: SecretMapper): JsonObject {
  const { headers } = receiver
  const at = (kind: SecretKind, ...steps: ConfigPath): SecretLocation => ({ kind, path: [...path, ...steps] })
  const texts = ['secret', 'routing_key'].flatMap((name) => {
    const value = receiver[name]
    return value === undefined ? [] : [[name, map(value, at('keys', name))] as const]
  })
  const addresses = ['webhook', 'url'].flatMap((name) => {
    const value = receiver[name]
    return value === undefined ? [] : [[name, map(value, at('address', name))] as const]
  })
  return {
    ...receiver,
    ...Object.fromEntries([...texts, ...addresses]),
    ...(isJsonObject(headers) && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value = null]) => [
          name,
          isSecretName(name) ? map(value, at('headers', 'headers', name)) : value,
        ]),
      ),
    }),
  }
}

function holdsPassword(proxy: JsonValue): boolean {
  return typeof proxy !== 'string' || proxy.includes('@')
}
