// Applies the changes of other nodes to this one, and keeps this node among them.
import type { LiveConfig } from '../../admin/config/live-config.ts'
import { innerReasonOf } from '../../canonical/failure.ts'
import { createMutex } from '../../kit/async/create-mutex.ts'
import type { ChangeTopic } from '../../storage/postgres/change-feed.ts'
import type { Telemetry } from '../monitoring/start-telemetry.ts'
import type { OpenKeys } from '../open-data-folder.ts'
import type { Metering } from '../open-metering.ts'
import type { NodeFigures } from './shared-node.ts'
import type { SharedState } from './shared-state.ts'

export interface FollowedParts {
  readonly keys: Pick<OpenKeys, 'operations'>
  readonly liveConfig: Pick<LiveConfig, 'follow'>
  readonly metering: Pick<Metering, 'sharedMeter' | 'queue'>
  readonly telemetry: Pick<Telemetry, 'clock' | 'warn'>
  readonly figures: () => NodeFigures
}

/** Follows the changes of other nodes. Does nothing if no other node shares the installation. */
export async function followChanges(
  shared: SharedState | undefined,
  { keys, liveConfig, metering: { sharedMeter, queue }, telemetry, figures }: FollowedParts,
): Promise<AsyncDisposable> {
  if (shared === undefined) return { [Symbol.asyncDispose]: async () => undefined }
  const { node, calls } = shared
  const { clock, warn } = telemetry
  // A read that started earlier must not finish later.
  const credits = createMutex()
  const reloadCredits = () => credits.run(async () => sharedMeter?.reloadCredits())
  const read: Readonly<Record<ChangeTopic, () => Promise<void>>> = {
    keys: keys.operations.reload,
    config_versions: () => liveConfig.follow(),
    credit_grants: reloadCredits,
    budget_changes: reloadCredits,
  }
  const feed = shared.openFeed({
    clock,
    async onChange(topic) {
      try {
        await read[topic]()
      } catch (error) {
        warn(`a change by another node cannot be taken over yet: ${innerReasonOf(error)}`)
        throw error
      }
    },
    onBack: () => queue.retryNow(),
    onNeed: (counter) => sharedMeter?.leases.onOthersNeed(counter),
  })
  calls.announceNeed = (counters) => feed.announceNeed(counters)
  node.start({
    warn,
    onBegun: async (epoch, validUntilMs) => sharedMeter?.begin(epoch, validUntilMs),
    onRenewed: (validUntilMs) => sharedMeter?.leases.renewed(validUntilMs),
    figures,
  })
  await feed.start()
  // Loads the changes between the read at the start and now.
  await Promise.all([keys.operations.reload(), liveConfig.follow(), reloadCredits()])
  return { [Symbol.asyncDispose]: () => feed.stop() }
}
