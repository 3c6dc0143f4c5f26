import { describe, expect, it } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import { readBillingSpan } from './billing-span.ts'

const nowMs = Date.parse('2026-11-23T12:34:56Z')

describe('the span of a billing query', () => {
  it('covers both named days and all days between them', () => {
    expect(read('start_date=2026-11-01&end_date=2026-11-02')).toEqual([
      '2026-11-01T00:00:00.000Z',
      '2026-11-03T00:00:00.000Z',
    ])
  })

  it('is one whole day when both are the same', () => {
    expect(read('start_date=2026-11-02&end_date=2026-11-02')).toEqual([
      '2026-11-02T00:00:00.000Z',
      '2026-11-03T00:00:00.000Z',
    ])
  })

  it('is the last 100 days, including today, when no day is named', () => {
    expect(read('')).toEqual(['2026-08-16T00:00:00.000Z', '2026-11-24T00:00:00.000Z'])
  })

  it('fits a leap year and not one day more', () => {
    expect(read('start_date=2024-01-01&end_date=2024-12-31')).toHaveLength(2)
    expect(() => read('start_date=2023-12-31&end_date=2024-12-31')).toThrow(GatewayError)
  })

  it('does not end before it begins', () => {
    expect(() => read('start_date=2026-11-02&end_date=2026-11-01')).toThrow(GatewayError)
  })

  it.each(['2026-02-30', '2026-1-1', '2026-11-23T00:00:00Z', 'today', ''])(
    'refuses "%s" as a day, and names the parameter',
    (day) => {
      expect(() => read(`end_date=${encodeURIComponent(day)}`)).toThrow(
        expect.objectContaining({ failure: expect.objectContaining({ param: 'end_date' }) }),
      )
    },
  )
})

function read(query: string): readonly string[] {
  const { sinceMs, untilMs } = readBillingSpan(new URLSearchParams(query), nowMs)
  return [sinceMs, untilMs].map((atMs) => new Date(atMs).toISOString())
}
