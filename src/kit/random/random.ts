import { randomBytes } from 'node:crypto'

/** The source of chance, which is handed in; tests use a seeded one. */
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
