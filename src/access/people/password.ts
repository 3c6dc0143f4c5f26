import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { GatewayError } from '../../canonical/failure.ts'
import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'

/** A stored password in the PHC string format: algorithm, parameters, salt and tag in one text. */
export type PasswordHash = Branded<string, 'PasswordHash'>

/**
 * The minimum that OWASP's Password Storage Cheat Sheet gives for Argon2id: 19 MiB, 2 passes, 1 lane
 * (cheatsheetseries.owasp.org, seen 2026-11-23). More memory per hash would let concurrent sign-in attempts use more
 * memory in total.
 */
const current = { memoryKib: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32

/** The limit on concurrent hashes. It bounds sign-in attempts to 38 MiB and two threads. */
const MAX_CONCURRENT_HASHES = 2
/** The limit on queued sign-ins. In a longer queue a sign-in would wait longer than a person does. */
const MAX_QUEUED_HASHES = 64

export interface PasswordHasher {
  /** Fails with `sign_in_busy` if too many sign-ins are queued. */
  hash(password: string): Promise<PasswordHash>
  /**
   * False if there is no hash, after the same time as a real check. Fails with `sign_in_busy` if too many are queued.
   */
  verify(password: string, stored: PasswordHash | undefined): Promise<boolean>
}

export function createPasswordHasher(random: Random): PasswordHasher {
  const turns = new Turns()
  // The hash of a password that nobody knows. Verifying an unknown name against it costs the same work.
  const nobodys = writeHash({ ...current, salt: random.bytes(SALT_BYTES), tag: random.bytes(TAG_BYTES) })
  return {
    hash: (password) =>
      turns.run(async () => {
        const salt = random.bytes(SALT_BYTES)
        return writeHash({ ...current, salt, tag: await derive(password, { ...current, salt }) })
      }),
    verify: (password, stored) =>
      turns.run(async () => {
        const parts = readHash(stored ?? nobodys) ?? readHash(nobodys)
        if (parts === undefined) return false
        const tag = await derive(password, parts)
        return timingSafeEqual(tag, parts.tag) && stored !== undefined
      }),
  }
}

/** Whether the hash has older parameters than the current ones. The next sign-in then hashes the password again. */
export function isOutdated(hash: PasswordHash): boolean {
  const parts = readHash(hash)
  if (parts === undefined) return true
  const { memoryKib, passes, parallelism } = parts
  return memoryKib !== current.memoryKib || passes !== current.passes || parallelism !== current.parallelism
}

interface Cost {
  readonly memoryKib: number
  readonly passes: number
  readonly parallelism: number
}

interface HashParts extends Cost {
  readonly salt: Buffer
  readonly tag: Buffer
}

const argon2Of = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)

/** Normalizes the password first, so that it is the same from every keyboard (NIST SP 800-63B-4 §3.1.1.2). */
function derive(password: string, { memoryKib, passes, parallelism, salt }: Cost & { salt: Buffer }) {
  return argon2Of('argon2id', {
    message: Buffer.from(password.normalize('NFKC'), 'utf8'),
    nonce: salt,
    tagLength: TAG_BYTES,
    memory: memoryKib,
    passes,
    parallelism,
  })
}

const toText = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

function writeHash({ memoryKib, passes, parallelism, salt, tag }: HashParts): PasswordHash {
  const cost = `m=${memoryKib},t=${passes},p=${parallelism}`
  return brand<PasswordHash>(`$argon2id$v=19$${cost}$${toText(salt)}$${toText(tag)}`)
}

const HASH_FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{43})$/

function readHash(hash: PasswordHash): HashParts | undefined {
  const [, memory, passes, parallelism, salt = '', tag = ''] = HASH_FORM.exec(hash) ?? []
  if (memory === undefined) return undefined
  return {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** A semaphore: runs a few hashes at once and the others in order of arrival. */
class Turns {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MAX_CONCURRENT_HASHES) {
      if (this.#waiting.length >= MAX_QUEUED_HASHES) throw new GatewayError('sign_in_busy')
      const turn = Promise.withResolvers<void>()
      this.#waiting.push(turn.resolve)
      await turn.promise
    } else {
      this.#running += 1
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
