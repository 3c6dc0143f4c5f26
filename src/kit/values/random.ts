import { randomBytes } from 'node:crypto'

/** Chance as the rest of the code may know it. Tests hand in a seeded one. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded); not for secrets. */
  fraction(): number
  /** Bytes fit for secrets and ids. */
  bytes(count: number): Buffer
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => randomBytes(count),
}
