import { type DiskChange, describeDisk } from '../telemetry/disk-guard.ts'
import type { WrittenAlert } from './write-alert.ts'

const types = { ample: 'disk.recovered', low: 'disk.low', 'nearly-full': 'disk.nearly_full' } as const

/** The disk with the stores fills up, or has room again. */
export function writeDiskAlert(change: DiskChange, nowMs: number): WrittenAlert {
  const line = describeDisk(change)
  const body = {
    type: types[change.to],
    at: new Date(nowMs).toISOString(),
    free_bytes: change.space.freeBytes,
    total_bytes: change.space.totalBytes,
    message: line,
    text: `Headgate: ${line}`,
  }
  return { line, body: JSON.stringify(body) }
}
