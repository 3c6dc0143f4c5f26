import { expect, it } from 'vitest'
import type { DiskLevel } from '../../telemetry/disk-guard.ts'
import { diskCondition } from './disk-condition.ts'

const find = (to: DiskLevel) =>
  diskCondition({ from: 'ample', to, space: { freeBytes: 500, totalBytes: 10_000 } }, 'disk')

it('is critical from the first shortage on, and of a higher level once the disk is nearly full', () => {
  expect(find('low')).toMatchObject({ severity: 'critical', level: 1, details: { free_bytes: 500 } })
  expect(find('nearly-full')).toMatchObject({ severity: 'critical', level: 2 })
})

it('is one condition whatever the level, so that a fuller disk changes its alert', () => {
  expect(find('low')?.identity).toBe(find('nearly-full')?.identity)
})

it('is over once there is room', () => {
  expect(find('ample')).toBeUndefined()
})
