import type { Sealer } from '../kit/bytes/seal.ts'
import type { Clock } from '../kit/time/clock.ts'

/** The prefix of every client secret that Headgate makes. */
const clientSecretPrefix = 'ek-hg-'

/** The grant of a client secret. It is sealed inside the secret, so every process can read it without a store. */
export interface ClientGrant {
  readonly keyId: string
  readonly expiresAtMs: number
  /** The realtime session that the secret was made for, as JSON. */
  readonly session: string
}

export interface ClientSecrets {
  make(grant: ClientGrant): string
  /** Undefined if the secret was not made here or has expired. */
  open(secret: string): ClientGrant | undefined
}

const PURPOSE = 'client secret of realtime sessions'
/** A secret has to fit in a header. */
const MAX_SECRET_CHARACTERS = 12_288

/** Makes short-lived secrets. With such a secret a browser opens a realtime session in the name of a key. */
export function createClientSecrets(sealer: Sealer, clock: Pick<Clock, 'nowMs'>): ClientSecrets {
  return {
    make: ({ keyId, expiresAtMs, session }) =>
      clientSecretPrefix + sealer.seal(JSON.stringify([keyId, expiresAtMs, session]), PURPOSE),
    open(secret) {
      if (!secret.startsWith(clientSecretPrefix) || secret.length > MAX_SECRET_CHARACTERS) return undefined
      const text = sealer.open(secret.slice(clientSecretPrefix.length), PURPOSE)
      if (text === undefined) return undefined
      const [keyId, expiresAtMs, session]: [string, number, string] = JSON.parse(text)
      return expiresAtMs > clock.nowMs() ? { keyId, expiresAtMs, session } : undefined
    },
  }
}
