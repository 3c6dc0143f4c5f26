// What the pipeline of a process does with changes of health that others have to hear of.
import type { HealthStore } from '../../routing/health/health-store.ts'
import type { PipelineOptions } from '../open-pipeline.ts'
import type { Telemetry } from '../start-telemetry.ts'
import type { ProcessPart } from './process-part.ts'
import { createHealthAnnouncer } from './share-health.ts'

interface HealthParts {
  readonly telemetry: Telemetry
  readonly store: HealthStore
}

type HealthOptions = Pick<
  PipelineOptions,
  'part' | 'healthStore' | 'onHealthChange' | 'onHealthReset' | 'announceHealth' | 'onOthersHealthChange'
>

export function shareHealthOf(
  part: ProcessPart | undefined,
  { telemetry, store }: HealthParts,
): HealthOptions {
  return {
    part,
    onHealthChange: telemetry.healthChanged,
    onHealthReset(channelName) {
      part?.bus.publish('reset-health', channelName)
      telemetry.healthReset(channelName)
    },
    announceHealth: part && createHealthAnnouncer(part.bus),
    onOthersHealthChange: telemetry.alerts.healthChanged,
    // One process stores what all know.
    healthStore: part?.type === 'worker' ? { ...store, save: async () => undefined } : store,
  }
}
