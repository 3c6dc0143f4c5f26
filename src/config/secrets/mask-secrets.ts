import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { mapSecrets, type SecretMapper } from './map-secrets.ts'

const ELLIPSIS = '…'
const SHOWN_CHARACTERS = 4
/** The length below which even the end of a secret would reveal too much. */
const MIN_SHOWN_SECRET_CHARACTERS = 12

/**
 * The document as it may be shown: of each secret its last four characters, behind an ellipsis, which no real value
 * can hold. Sent back as it was shown, it stands for what is stored.
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

/** The end of an address is often its secret, and is shown as that of any other secret. */
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

/** Hides every text that contains one of these, in any position. */
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
