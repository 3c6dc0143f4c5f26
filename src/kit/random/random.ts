import { randomBytes } from 'node:crypto'

/** The source of randomness, passed in as a parameter. Tests pass a seeded source. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). Not for secrets. */
  fraction(): number
  /** Bytes that are fit for secrets and IDs. */
  bytes(count: number): Buffer
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => randomBytes(count),
}
