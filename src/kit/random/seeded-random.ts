import type { Random } from './random.ts'

/** Chance that repeats itself: the same seeds give the same numbers. Not for secrets. */
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

/** Spreads every bit of a 32-bit number over all of them. */
function scramble(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
