import type { JsonObject } from '../kit/json.ts'
import { mapSecrets, type SecretMapper } from './map-secrets.ts'

const ELLIPSIS = '…'
const SHOWN_CHARACTERS = 4
/** Of a shorter secret even the end would say too much. */
const LEAST_TO_SHOW = 12

/**
 * The document as it may be shown: of each secret its last four characters, behind an ellipsis, which no real value
 * can hold. Sent back as it was shown, it stands for what is stored.
 */
export function maskSecrets(document: JsonObject): JsonObject {
  return mapSecrets(document, maskSecret)
}

export const maskSecret: SecretMapper = (secret, { kind }) => {
  if (typeof secret !== 'string') return ELLIPSIS
  return kind === 'proxy' ? maskPassword(secret) : maskText(secret)
}

export function isMasked(text: string): boolean {
  return text.includes(ELLIPSIS)
}

function maskText(text: string): string {
  if (isMasked(text)) return text
  return text.length < LEAST_TO_SHOW ? ELLIPSIS : ELLIPSIS + text.slice(-SHOWN_CHARACTERS)
}

function maskPassword(address: string): string {
  if (isMasked(address) || !URL.canParse(address)) return ELLIPSIS
  const { protocol, username, password, host } = new URL(address)
  return password === ''
    ? `${protocol}//${ELLIPSIS}@${host}`
    : `${protocol}//${username}:${maskText(password)}@${host}`
}
