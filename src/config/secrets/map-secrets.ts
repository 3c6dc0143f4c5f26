import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { isSecretName } from './is-secret-name.ts'

/** The field of its channel that a secret stands in; `keys` are all those of `api_key` and `api_keys`. */
export type SecretKind = 'keys' | 'headers' | 'credentials' | 'proxy'

export interface SecretLocation {
  readonly kind: SecretKind
  /** The path from the document's root. */
  readonly path: ConfigPath
}

/** Replaces a secret; what takes its place may be a text or, at rest, something else. */
export type SecretMapper = (secret: JsonValue, location: SecretLocation) => JsonValue

/** The document with every value that must never be shown put through `map`. Whatever is ill-formed stays as it is. */
export function mapSecrets(document: JsonObject, map: SecretMapper): JsonObject {
  const { channels } = document
  if (!isJsonArray(channels)) return document
  return {
    ...document,
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

function holdsPassword(proxy: JsonValue): boolean {
  return typeof proxy !== 'string' || proxy.includes('@')
}
