import { afterEach, expect, it } from 'vitest'
import { readUsageSpan } from '../pages/usage/usage-span.ts'
import { type ReportSpan, reportStart, spanBefore } from './report-spans.ts'

const zone = process.env['TZ']

afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const spans: readonly ReportSpan[] = ['24h', '7d', '30d', '90d']

it.each(['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Apia'])(
  'the overview and a report of usage begin at the same time in %s, for every span',
  (name) => {
    process.env['TZ'] = name
    for (const now of ['2026-11-02T00:10:00Z', '2026-03-30T23:40:00Z', '2026-11-30T12:00:00Z']) {
      const nowMs = Date.parse(now)
      for (const span of spans) {
        const { since } = readUsageSpan({ span }, nowMs)
        const usageMs = new Date(since.includes('T') ? since : `${since}T00:00:00`).getTime()
        expect(new Date(reportStart(span, nowMs)).toISOString()).toBe(new Date(usageMs).toISOString())
      }
    }
  },
)

it('the span before ends at the same time of day, also where the clock was set back in between', () => {
  process.env['TZ'] = 'Europe/Berlin'
  const nowMs = Date.parse('2026-10-26T09:15:00+01:00')
  expect(spanBefore('7d', nowMs)).toEqual({
    since: new Date('2026-10-13T00:00:00+02:00').toISOString(),
    until: new Date('2026-10-19T09:15:00+02:00').toISOString(),
  })
})
