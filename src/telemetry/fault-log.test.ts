import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createFaultLog } from './fault-log.ts'

it('logs one fault a second with its stack, and the number of suppressed faults', () => {
  const clock = createFakeClock()
  const lines: string[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (line: string) => void lines.push(line) }
  const report = createFaultLog(log, clock)
  for (const name of ['first', 'second', 'third']) report('a timer', new Error(name))
  clock.advance(1_000)
  report('a request', new Error('fourth'))
  expect(lines.map((line) => line.split('\n')[0])).toEqual([
    'internal fault in a timer: Error: first',
    'internal fault in a request (2 more since the last such line): Error: fourth',
  ])
  expect(lines[0]).toContain('fault-log.test.ts')
})
