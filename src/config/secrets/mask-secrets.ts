import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { mapSecrets, type SecretMapper } from './map-secrets.ts'

const ELLIPSIS = '…'
const SHOWN_CHARACTERS = 4
/** The length below which even the end of a secret would reveal too much. */
const MIN_SHOWN_SECRET_CHARACTERS = 12

/**
 * Masks the document for display. Each secret is replaced by an ellipsis and its last four characters. No real value
 * can contain the ellipsis. A masked value that is sent back means the stored secret.
 */
export function maskSecrets(document: JsonObject): JsonObject {
  return mapSecrets(document, maskSecret)
}

export const maskSecret: SecretMapper = (secret, { kind }) => {
  if (typeof secret !== 'string') return ELLIPSIS
  if (kind === 'address') return maskPath(secret)
  return kind === 'proxy' ? maskPassword(secret) : maskText(secret)
}

export function isMasked(text: string): boolean {
  return text.includes(ELLIPSIS)
}

function maskText(text: string): string {
  if (isMasked(text)) return text
  return text.length < MIN_SHOWN_SECRET_CHARACTERS ? ELLIPSIS : ELLIPSIS + text.slice(-SHOWN_CHARACTERS)
}

/** Masks the path of an address like any other secret, because its end is often the secret. */
function maskPath(address: string): string {
  if (isMasked(address) || !URL.canParse(address)) return ELLIPSIS
  const { origin, pathname, search } = new URL(address)
  return `${origin}/${maskText(pathname + search)}`
}

function maskPassword(address: string): string {
  if (isMasked(address) || !URL.canParse(address)) return ELLIPSIS
  const { protocol, username, password, host } = new URL(address)
  return password === ''
    ? `${protocol}//${ELLIPSIS}@${host}`
    : `${protocol}//${username}:${maskText(password)}@${host}`
}

/** Masks every text that contains one of `texts`, at any depth. */
export function maskTexts<Value extends JsonValue>(value: Value, texts: readonly string[]): Value {
  if (texts.length === 0) return value
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) =>
    typeof part === 'string' &&
    !isMasked(part) &&
    texts.some((text) => part === text || (text.length >= SHOWN_CHARACTERS && part.includes(text)))
      ? ELLIPSIS
      : part,
  )
}
