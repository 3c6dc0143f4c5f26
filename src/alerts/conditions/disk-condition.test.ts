import { expect, it } from 'vitest'
import type { DiskLevel } from '../../telemetry/disk-guard.ts'
import { diskCondition } from './disk-condition.ts'

const find = (level: DiskLevel) =>
  diskCondition(
    { level, space: { freeBytes: 500, totalBytes: 10_000 } },
    { name: 'disk', severity: undefined },
  )

it('is critical from the first shortage on, and at a higher level once the disk is nearly full', () => {
  expect(find('low')).toMatchObject({ severity: 'critical', level: 1, details: { free_bytes: 500 } })
  expect(find('nearly-full')).toMatchObject({ severity: 'critical', level: 2 })
})

it('keeps its identity at every level, so that a fuller disk updates its alert', () => {
  expect(find('low')?.identity).toBe(find('nearly-full')?.identity)
})

it('ends when there is room again', () => {
  expect(find('ample')).toBeUndefined()
})
