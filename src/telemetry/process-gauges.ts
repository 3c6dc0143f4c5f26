import { Gauge, type Registry } from 'prom-client'
import type { DiskLevel, DiskSpace } from './disk-guard.ts'

/** The facts about this build and process. */
export interface BuildInfo {
  /** The version of Headgate. */
  readonly version: string
  /** The version of Node, such as `24.15.0`. */
  readonly node: string
  /** The platform, such as `linux-x64`. */
  readonly platform: string
}

/**
 * Adds a gauge that is always 1, for its labels (https://prometheus.io/docs/instrumenting/writing_exporters/, seen
 * 2026-11-23).
 */
export function addBuildInfo(registry: Registry, { version, node, platform }: BuildInfo): void {
  new Gauge({
    name: 'headgate_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'platform'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version, node, platform }, 1)
}

export function addActiveGauge(registry: Registry, read: () => number): void {
  new Gauge({
    name: 'headgate_active_requests',
    help: 'Requests in progress.',
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}

/** Adds the gauge of connections that stay open between requests. */
export function addSocketGauge(registry: Registry, read: () => number): void {
  new Gauge({
    name: 'headgate_websockets',
    help: 'WebSocket connections of callers that are open.',
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}

export interface DiskReading {
  readonly level: DiskLevel
  readonly space: DiskSpace | undefined
}

const levels: Readonly<Record<DiskLevel, number>> = { ample: 0, low: 1, 'nearly-full': 2 }

/** Adds the gauges of the disk with the data folder. */
export function addDiskGauges(registry: Registry, read: () => DiskReading | undefined): void {
  new Gauge({
    name: 'headgate_disk_free_bytes',
    help: 'Free where the data folder is.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      const space = read()?.space
      if (space !== undefined) this.set(space.freeBytes)
    },
  })
  new Gauge({
    name: 'headgate_disk_level',
    help: 'Room where the data folder is: 0 ample, 1 low, 2 nearly full.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(levels[read()?.level ?? 'ample'])
    },
  })
}
