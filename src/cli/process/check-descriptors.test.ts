import { expect, it } from 'vitest'
import { describeDescriptorShortfall } from './check-descriptors.ts'

it.each([
  [undefined, 10_000, undefined],
  [20_000, 10_000, undefined],
  [
    4_096,
    10_000,
    'this process may open 4096 files, and limits.connections (10000) can need 20000; raise the limit (LimitNOFILE of the unit, ulimits of the container, ulimit -n) or lower limits.connections',
  ],
  [600, 300, undefined],
])('a limit of %s open files is checked against %s connections', (limit, connections, shortfall) => {
  expect(describeDescriptorShortfall(limit, connections)).toBe(shortfall)
})
