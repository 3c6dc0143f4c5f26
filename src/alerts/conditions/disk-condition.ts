import { type DiskChange, describeDisk } from '../../telemetry/disk-guard.ts'
import type { Condition } from '../alert.ts'

export const DISK_IDENTITY = 'disk'

/** The condition that the disk with the stores fills up. Undefined if it has enough space. */
export function diskCondition(change: DiskChange, rule: string): Condition | undefined {
  if (change.to === 'ample') return undefined
  const { freeBytes, totalBytes } = change.space
  return {
    identity: DISK_IDENTITY,
    kind: 'disk',
    rule,
    severity: 'critical',
    level: change.to === 'nearly-full' ? 2 : 1,
    subject: {},
    message: describeDisk(change),
    advice: undefined,
    details: { free_bytes: freeBytes, total_bytes: totalBytes },
  }
}
