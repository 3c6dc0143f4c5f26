import { describe, expect, it } from 'vitest'
import { readRetryAfter } from './read-retry-after.ts'

const receivedAtMs = Date.parse('2026-11-20T12:00:00Z')

describe('the wait that an upstream names', () => {
  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0.2' }, 1],
    [{ 'retry-after': '0' }, 1],
    [{ 'retry-after': '900' }, 900],
    [{ 'retry-after-ms': '1500', 'retry-after': '30' }, 2],
    [{ 'retry-after-ms': '0', 'retry-after': '30' }, 30],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' }, 9],
    [{ 'retry-after': 'Fri, 20 Nov 2026 13:00:00 GMT' }, 3_600],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 1],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 5],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT', date: 'yesterday' }, 9],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '1e999' }, undefined],
    [{}, undefined],
  ])('of %j is %j seconds', (headers: Record<string, string>, seconds) => {
    expect(readRetryAfter({ headers, receivedAtMs })).toBe(seconds)
  })

  it('is unknown for a date when the time of the answer is unknown', () => {
    expect(readRetryAfter({ headers: { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' } })).toBeUndefined()
  })
})
