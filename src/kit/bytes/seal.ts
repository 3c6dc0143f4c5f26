import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Random } from '../random/random.ts'

/** Encrypts texts at rest with AES-256-GCM. Each text is bound to its purpose, such as one row of a table. */
export interface Sealer {
  seal(text: string, purpose: string): string
  /** Undefined where the text was sealed with another secret, for another purpose, or was changed since. */
  open(sealed: string, purpose: string): string | undefined
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** Creates a sealer. `secret` may be any text. The key is derived from it. */
export function createSealer(secret: string, random: Random): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'headgate sealed values', KEY_BYTES))
  // The ID tells which secret sealed a value, without revealing the secret.
  const keyId = createHash('sha256').update('headgate key id').update(key).digest('hex').slice(0, 8)
  const boundTo = (purpose: string) => Buffer.from(`${VERSION}|${keyId}|${purpose}`, 'utf8')
  return {
    seal(text, purpose) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), body])
      return `${VERSION}.${keyId}.${bytes.toString('base64url')}`
    },
    open(sealed, purpose) {
      const [, , encoded = ''] = sealed.split('.')
      const bytes = Buffer.from(encoded, 'base64url')
      // Node also decodes other spellings of the same bytes. Here one value has one spelling.
      const isWritten = sealed === `${VERSION}.${keyId}.${bytes.toString('base64url')}`
      if (!isWritten || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(boundTo(purpose)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        // Node's one error here has no code: the tag does not fit, so the text is not what was sealed under this key.
        return undefined
      }
    },
  }
}

/** Encrypts bytes at rest with AES-256-GCM, each bound to its purpose. */
export interface ByteSealer {
  seal(bytes: Uint8Array, purpose: string): Buffer
  /** Undefined where the bytes were sealed with another key, for another purpose, or were changed since. */
  open(sealed: Uint8Array, purpose: string): Buffer | undefined
}

export const SEALING_KEY_BYTES = KEY_BYTES

/** `key` is random and `SEALING_KEY_BYTES` long. */
export function createByteSealer(key: Uint8Array, random: Random): ByteSealer {
  return {
    seal(bytes, purpose) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose, 'utf8'))
      const body = [cipher.update(bytes), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...body])
    },
    open(sealed, purpose) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher
        .setAAD(Buffer.from(purpose, 'utf8'))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
      } catch {
        // Node's one error here has no code: the tag does not fit, so the text is not what was sealed under this key.
        return undefined
      }
    },
  }
}
