import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createNoticeLog } from './notice-log.ts'
import type { LogLevel } from './request-log.ts'

function linesAt(level: LogLevel): unknown[] {
  const lines: string[] = []
  const notices = createNoticeLog({
    level: () => level,
    destination: { write: (line) => lines.push(line) },
    clock: createFakeClock(),
  })
  notices.info('back in rotation')
  notices.warn('out of rotation')
  notices.error('refused')
  return lines.map((line) => JSON.parse(line).level)
}

it('good news is written at the info level', () => {
  expect(linesAt('info')).toEqual([30, 40, 50])
  expect(linesAt('warn')).toEqual([40, 50])
})
