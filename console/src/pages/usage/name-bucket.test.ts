import { afterEach, expect, it } from 'vitest'
import { nameBucket } from './name-bucket.ts'

const zone = process.env['TZ']

afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

it.each([
  ['2026-10-25T01:00:00+02:00', '2026-10-25 01:00'],
  ['2026-10-25T02:00:00+02:00', '2026-10-25 02:00 +02:00'],
  ['2026-10-25T02:00:00+01:00', '2026-10-25 02:00 +01:00'],
  ['2026-10-25T03:00:00+01:00', '2026-10-25 03:00'],
  ['2026-03-29T01:00:00+01:00', '2026-03-29 01:00'],
  ['2026-03-29T03:00:00+02:00', '2026-03-29 03:00'],
  ['2026-10-25', '2026-10-25'],
  ['2026-10', '2026-10'],
])('%s is named %s, so that no two hours have the same name', (name, shown) => {
  process.env['TZ'] = 'Europe/Berlin'
  expect(nameBucket(name)).toBe(shown)
})
