import type { Chance } from './create-chance.ts'

const oddValues: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  'x'.repeat(5_000),
]
const oddNames = ['Model', 'type', '__proto__', 'constructor', '', 'index', 'error', 'choices']

/** The same value with some of its members gone, renamed or of another kind. */
export function spoilValue(value: unknown, chance: Chance, rate = 0.15): unknown {
  if (chance.next() < rate) return chance.pick(oddValues)
  if (Array.isArray(value)) return value.map((inner) => spoilValue(inner, chance, rate))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (chance.next() < 0.05) return []
      const known = chance.next() < 0.05 ? chance.pick(oddNames) : name
      return [[known, spoilValue(inner, chance, rate)]]
    }),
  )
}
