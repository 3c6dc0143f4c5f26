import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { AwsCredentials } from './aws-credentials.ts'
import { awsRefusal } from './aws-refusal.ts'

/**
 * Credentials as the services of a machine and the token service give them. They name the token in two ways, and its
 * end as a date or as seconds. Throws `upstream_credential`; `place` says in its message who answered.
 */
export function readAwsAnswer(body: string, source: string): AwsCredentials {
  const found = findCredentials(parseObjectOrEmpty(body))
  const { AccessKeyId: id, SecretAccessKey: secret, Expiration: end } = found
  const token = found['Token'] ?? found['SessionToken']
  if (typeof id !== 'string' || typeof secret !== 'string' || id === '' || secret === '')
    throw awsRefusal(`${source} answered, and not with credentials for AWS.`)
  const expiresAtMs =
    typeof end === 'number' ? end * 1000 : typeof end === 'string' ? Date.parse(end) : Number.NaN
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(typeof token === 'string' && token !== '' ? { sessionToken: token } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  }
}

/** The token service wraps them in two objects that are named after what was asked. */
function findCredentials(body: JsonObject): JsonObject {
  if (body['AccessKeyId'] !== undefined) return body
  const inner = Object.values(body).find(isJsonObject)
  const within = inner === undefined ? undefined : Object.values(inner).find(isJsonObject)
  const named = within?.['Credentials']
  return isJsonObject(named) ? named : {}
}

function parseObjectOrEmpty(body: string): JsonObject {
  const value = tryParseJson(body)
  return isJsonObject(value) ? value : {}
}
