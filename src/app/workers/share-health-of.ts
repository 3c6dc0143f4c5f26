// Handles the health changes of a process, and notifies the other processes of them.
import type { HealthStore } from '../../routing/health/health-store.ts'
import type { Telemetry } from '../monitoring/start-telemetry.ts'
import type { PipelineOptions } from '../open-pipeline.ts'
import type { Peers } from './find-peers.ts'
import { createHealthAnnouncer } from './share-health.ts'

interface HealthParts {
  readonly telemetry: Telemetry
  readonly store: HealthStore
}

type HealthOptions = Pick<
  PipelineOptions,
  'peers' | 'healthStore' | 'onHealthChange' | 'onHealthReset' | 'announceHealth' | 'onOthersHealthChange'
>

export function shareHealthOf(peers: Peers | undefined, { telemetry, store }: HealthParts): HealthOptions {
  return {
    peers,
    onHealthChange: telemetry.healthChanged,
    onHealthReset(channelName) {
      peers?.bus.publish('reset-health', channelName)
      telemetry.healthReset(channelName)
    },
    announceHealth: peers && createHealthAnnouncer(peers.bus),
    onOthersHealthChange: (change) => telemetry.alerts.healthChanged(change),
    // One process stores the health for all.
    healthStore: peers === undefined ? store : storeForAll(store, peers),
  }
}

function storeForAll(store: HealthStore, { isMine }: Peers): HealthStore {
  return {
    ...store,
    async save(snapshot) {
      if (isMine()) await store.save(snapshot)
    },
  }
}
