import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createRequestRow } from '../../test/support/request-row.ts'
import type { RequestRow } from './observer.ts'
import { createRequestLog } from './request-log.ts'

function lineOf(row: Partial<RequestRow>): unknown {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  createRequestLog({ level: { current: 'info' }, destination, clock: createFakeClock() }).requestEnded(
    createRequestRow(row),
  )
  return JSON.parse(lines.join(''))
}

it.each<[string, Partial<RequestRow>, number]>([
  ['a good answer', {}, 30],
  ['a fault of the request', { status: 400, error: 'invalid_field' }, 30],
  ['a caller who left', { status: 200, error: 'client_closed_request', callerLeft: true }, 30],
  ['a stream that the provider cut', { status: 200, error: 'upstream_disconnected' }, 40],
  ['a stream that this process ended', { status: 200, error: 'shutting_down' }, 40],
  ['a stream that our own mistake ended', { status: 200, error: 'internal_error' }, 50],
  ['a failure', { status: 503, error: 'upstream_unreachable' }, 50],
])('%s is logged at its level', (_what, row, level) => {
  expect(lineOf(row)).toMatchObject({ level })
})

it('only an answer that another request produced is marked as a replay', () => {
  expect(lineOf({ isReplay: true })).toMatchObject({ replay: true })
  expect(lineOf({})).not.toHaveProperty('replay')
})
