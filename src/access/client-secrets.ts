import type { Sealer } from '../kit/bytes/seal.ts'
import type { Clock } from '../kit/time/clock.ts'

/** The beginning of every client secret that is made here. */
export const clientSecretPrefix = 'ek-hg-'

/** The grant of a client secret. It is sealed in the secret itself, so that every process can read it. */
export interface ClientGrant {
  readonly keyId: string
  readonly expiresAtMs: number
  /** The session that it was made for, as JSON. */
  readonly session: string
}

export interface ClientSecrets {
  make(grant: ClientGrant): string
  /** Undefined where it was not made here, or has expired. */
  open(secret: string): ClientGrant | undefined
}

const PURPOSE = 'client secret of realtime sessions'
/** A secret has to fit in a header. */
const MAX_SECRET_CHARACTERS = 12_288

/** Makes the short-lived secrets by which a browser opens a realtime session in the name of a key. */
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
