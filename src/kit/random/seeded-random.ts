import type { Random } from './random.ts'
import { scramble } from './scramble.ts'

/** Creates repeatable randomness: the same seeds give the same numbers. Not for secrets. */
export function createSeededRandom(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => scramble(mixed ^ Math.trunc(seed)), 0x9e3779b9)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    return scramble(state) >>> 0
  }
  return {
    fraction: () => next() / 2 ** 32,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => next() >>> 24)),
  }
}
