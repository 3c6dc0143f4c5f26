import type { AlertSources } from '../../src/alerts/judge-state.ts'
import type { DiskState } from '../../src/telemetry/disk-guard.ts'

/** The sources of alerts of an installation in which nothing is wrong. */
export const calmSources: AlertSources = {
  channels: () => [],
  inRotation: () => new Set(),
  outOfRotation: () => [],
  keys: () => [],
  certificates: () => [],
  unpriced: () => [],
  budgetOf: () => 'gone',
  disk: () => undefined,
}

export const ampleDisk: DiskState = { level: 'ample', space: { freeBytes: 2e9, totalBytes: 1e11 } }
export const lowDisk: DiskState = { level: 'low', space: { freeBytes: 5e8, totalBytes: 1e11 } }
