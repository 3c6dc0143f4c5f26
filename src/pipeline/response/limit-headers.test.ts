import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { writeLimitHeaders } from '../../wire/openai/values/write-limit-headers.ts'
import { LimitHeaders } from './limit-headers.ts'

const format = { writeLimitHeaders }

test('headers of limits are those of the moment of their preparation, until they are too old', () => {
  const clock = createFakeClock()
  let remaining = 10
  const readLimits = () => [{ kind: 'requests', limit: 10, remaining, resetMs: 500 } as const]
  const headers = new LimitHeaders({ format, clock, readLimits })
  headers.prepare()
  remaining = 4
  clock.advance(100)
  expect(headers.read()).toMatchObject({ 'x-ratelimit-remaining-requests': '10' })
  clock.advance(1)
  expect(headers.read()).toMatchObject({ 'x-ratelimit-remaining-requests': '4' })
})

test('headers of limits that nothing prepared are written when they are read', () => {
  const readLimits = () => [{ kind: 'requests', limit: 10, remaining: 3, resetMs: 500 } as const]
  const headers = new LimitHeaders({ format, clock: createFakeClock(), readLimits })
  expect(headers.read()).toMatchObject({ 'x-ratelimit-remaining-requests': '3' })
})

test('a caller without a limit gets no headers of limits', () => {
  const headers = new LimitHeaders({ format, clock: createFakeClock() })
  headers.prepare()
  expect(headers.read()).toBeUndefined()
})
