import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { withoutIds } from '../batches/call-provider.ts'

/** The fields of a file that contain no name of a provider. All others are left out. */
const fileFields = [
  'displayName',
  'mimeType',
  'sizeBytes',
  'createTime',
  'updateTime',
  'expirationTime',
  'sha256Hash',
  'state',
  'source',
  'videoMetadata',
] as const

/** A provider's file as its key sees it. Its address is a path of the gateway. */
export function showGeminiFile(remote: JsonObject, id: string): JsonObject {
  const error = remote['error']
  return {
    name: `files/${id}`,
    ...pick(remote, fileFields),
    ...(isJsonObject(error) && { error: showError(error) }),
    uri: `/v1beta/files/${id}`,
  }
}

function showError({ code, message }: JsonObject): JsonObject {
  return { code: code ?? 0, message: typeof message === 'string' ? withoutIds(message) : '' }
}

/** A file with its full address, by which requests name it. */
export function withFileOrigin(shown: JsonObject, origin: string): JsonObject {
  const { uri } = shown
  return typeof uri === 'string' ? { ...shown, uri: origin + uri } : shown
}

const cacheFields = ['displayName', 'createTime', 'updateTime', 'expireTime', 'usageMetadata'] as const

/** A provider's cached content as its key sees it, with the gateway's name of its model. */
export function showCachedContent(
  remote: JsonObject,
  { id, publicName }: Pick<RemoteObject, 'id' | 'publicName'>,
): JsonObject {
  return { name: `cachedContents/${id}`, model: `models/${publicName}`, ...pick(remote, cacheFields) }
}

function pick(remote: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): (readonly [string, JsonValue])[] => {
      const value = remote[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** A time in an answer, in milliseconds since 1970; undefined where the answer states none. */
export function readStatedTime(value: JsonValue | undefined): number | undefined {
  const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : timeMs
}
