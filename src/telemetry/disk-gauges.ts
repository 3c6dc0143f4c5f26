import { Gauge, type Registry } from 'prom-client'
import type { DiskLevel, DiskSpace } from './disk-guard.ts'

export interface DiskReading {
  readonly level: DiskLevel
  readonly space: DiskSpace | undefined
}

const levels: Readonly<Record<DiskLevel, number>> = { ample: 0, low: 1, 'nearly-full': 2 }

/** Where the data folder is. */
export function addDiskGauges(registry: Registry, read: () => DiskReading | undefined): void {
  new Gauge({
    name: 'headgate_disk_free_bytes',
    help: 'Free where the data folder is.',
    registers: [registry],
    collect() {
      const space = read()?.space
      if (space !== undefined) this.set(space.freeBytes)
    },
  })
  new Gauge({
    name: 'headgate_disk_level',
    help: 'Room where the data folder is: 0 ample, 1 low, 2 nearly full.',
    registers: [registry],
    collect() {
      this.set(levels[read()?.level ?? 'ample'])
    },
  })
}
