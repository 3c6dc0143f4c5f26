import { type DiskState, describeDisk } from '../../telemetry/disk-guard.ts'
import type { Condition } from '../alert.ts'
import type { AlertRule } from '../alert-rule-schema.ts'

export const DISK_IDENTITY = 'disk'

type DiskRule = Pick<AlertRule, 'name' | 'severity'>

/** The condition that the disk with the stores fills up. Undefined if it has enough space. */
export function diskCondition(reading: DiskState, rule: DiskRule): Condition | undefined {
  if (reading.level === 'ample') return undefined
  const { freeBytes, totalBytes } = reading.space
  return {
    identity: DISK_IDENTITY,
    kind: 'disk',
    rule: rule.name,
    severity: rule.severity ?? 'critical',
    level: reading.level === 'nearly-full' ? 2 : 1,
    subject: {},
    message: describeDisk(reading),
    advice: undefined,
    details: { free_bytes: freeBytes, total_bytes: totalBytes },
  }
}
