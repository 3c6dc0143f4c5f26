// The nodes of an installation for the admin API: those of the database, or only this process.
import { hostname } from 'node:os'
import type { ConfigState } from '../../admin/config/live-config.ts'
import type { NodeSource } from '../../admin/nodes/browse-nodes.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { fingerprintFile } from './fingerprint-file.ts'
import type { SharedMeter } from './shared-meter.ts'
import type { NodeFigures } from './shared-node.ts'
import type { SharedState } from './shared-state.ts'

export interface OwnNode {
  /** Whether the node accepts requests. */
  readonly isReady: () => boolean
  /** The current figures that the node publishes about itself. */
  readonly figures: () => NodeFigures
}

export interface NodeStores {
  readonly liveConfig: { readonly state: () => ConfigState }
  readonly shared: SharedState | undefined
  /** The secret for the keyed fingerprint of the file. */
  readonly secret: string
}

export interface NodeParts {
  readonly metering: { readonly sharedMeter: SharedMeter | undefined }
  readonly gate: { readonly active: number; readonly isDraining: boolean }
  readonly pipeline: { readonly isReady: () => boolean }
}

export function describeNode(
  { liveConfig, shared, secret }: NodeStores,
  { metering: { sharedMeter }, gate, pipeline }: NodeParts,
): OwnNode {
  const first = liveConfig.state().file
  let fingerprinted = { file: first, fingerprint: fingerprintFile(first, secret) }
  const isReady = () => pipeline.isReady() && shared?.node.isClockRight !== false
  return {
    isReady,
    figures() {
      const { file, serving } = liveConfig.state()
      if (file !== fingerprinted.file) fingerprinted = { file, fingerprint: fingerprintFile(file, secret) }
      return {
        leases: sharedMeter?.leases.size ?? 0,
        streams: gate.active,
        draining: gate.isDraining,
        ready: isReady(),
        configVersion: serving.number,
        fileFingerprint: fingerprinted.fingerprint,
      }
    },
  }
}

export interface NodeSourceOptions {
  readonly shared: SharedState | undefined
  readonly figures: () => NodeFigures
  readonly version: string
  readonly clock: Pick<Clock, 'nowMs'>
}

export function createNodeSource({ shared, figures, version, clock }: NodeSourceOptions): NodeSource {
  if (shared !== undefined) return { store: shared.store, list: () => shared.node.list() }
  const startedAtMs = clock.nowMs()
  const id = hostname()
  return {
    store: 'sqlite',
    list: async () => [
      { id, version, ...figures(), clockAheadMs: 0, startedAtMs, seenAtMs: clock.nowMs(), isThis: true },
    ],
  }
}
