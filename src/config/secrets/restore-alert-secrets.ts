import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import type { ConfigProblem } from '../config-error.ts'
import { nameOf } from '../source/document-objects.ts'
import { writePath } from '../source/write-path.ts'
import { mapAlertSecrets, type SecretLocation } from './map-secrets.ts'
import { isMasked, maskSecret } from './mask-secrets.ts'

export const SECRET_UNKNOWN = withFact(
  'is how a stored secret is shown, and none that ends so is stored here; write it whole',
  { code: 'stored_secret_unknown', values: {} },
)
const SENT_ELSEWHERE = withFact(
  'must be entered again: the receiver now leads elsewhere, and a stored secret does not go along',
  { code: 'stored_secret_not_sent', values: {} },
)

/**
 * Replaces masked values by the stored secrets of receivers, matched by the receiver's name. A receiver whose address
 * changed does not get the secrets.
 */
export function restoreAlertSecrets(
  next: JsonValue | undefined,
  stored: JsonValue | undefined,
  problems: ConfigProblem[],
): JsonValue | undefined {
  if (!isJsonObject(next)) return next
  const known = isJsonObject(stored) ? stored : {}
  const restored = mapAlertSecrets(next, (value, location) => {
    if (typeof value !== 'string' || !isMasked(value)) return value
    const [receiver, before] = [receiverAt(next, location), receiverLike(next, known, location)]
    const secret = before === undefined ? undefined : valueAt(before, location)
    if (typeof secret !== 'string' || maskSecret(secret, location) !== value) {
      problems.push(problemAt(location, SECRET_UNKNOWN))
      return value
    }
    if (
      location.kind !== 'address' &&
      addressOf(receiver) !== undefined &&
      !isSameAddress(receiver, before)
    ) {
      problems.push(problemAt(location, SENT_ELSEWHERE))
    }
    return secret
  })
  return restored
}

function problemAt({ path }: SecretLocation, message: string): ConfigProblem {
  return { path: writePath(path), message, owner: 'api' }
}

/** The receiver that contains a secret: an entry of the list, or the section itself. */
function receiverAt(alerts: JsonObject, { path }: SecretLocation): JsonObject {
  const [, list, index] = path
  const { receivers } = alerts
  if (list !== 'receivers' || typeof index !== 'number' || !isJsonArray(receivers)) return alerts
  const receiver = receivers[index]
  return isJsonObject(receiver) ? receiver : {}
}

/** The stored receiver of the same name. */
function receiverLike(
  next: JsonObject,
  stored: JsonObject,
  location: SecretLocation,
): JsonObject | undefined {
  if (location.path[1] !== 'receivers') return stored
  const name = nameOf(receiverAt(next, location))
  const { receivers } = stored
  return isJsonArray(receivers)
    ? receivers.filter(isJsonObject).find((receiver) => nameOf(receiver) === name)
    : undefined
}

function valueAt(receiver: JsonObject, { path }: SecretLocation): JsonValue | undefined {
  const steps = path[1] === 'receivers' ? path.slice(3) : path.slice(1)
  let value: JsonValue | undefined = receiver
  for (const step of steps) value = isJsonObject(value) ? value[String(step)] : undefined
  return value
}

function addressOf({ webhook, url }: JsonObject): string | undefined {
  const address = webhook ?? url
  return typeof address === 'string' ? address : undefined
}

/** Whether the address is the masked form of the stored one. */
function isSameAddress(receiver: JsonObject, before: JsonObject | undefined): boolean {
  const [now, known] = [addressOf(receiver), before && addressOf(before)]
  if (now === undefined || known === undefined) return now === known
  if (isMasked(now)) return maskSecret(known, { kind: 'address', path: [] }) === now
  return URL.canParse(now) && URL.canParse(known) && new URL(now).origin === new URL(known).origin
}
