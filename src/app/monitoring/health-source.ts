// Health, load and latency of channels, for operators.
import type { ChannelLoad, HealthSource } from '../../admin/health-routes.ts'
import type { CatalogSource } from '../../catalog/catalog.ts'
import type { ListFault } from '../../catalog/list-fault.ts'
import type { CheckReport } from '../../pipeline/health-checker.ts'
import type { HealthTracker } from '../../routing/health/health-tracker.ts'
import type { LatencyTracker } from '../../routing/order/latency-tracker.ts'
import type { ConcurrencyLimits } from '../../routing/queue/concurrency-limits.ts'
import type { RequestQueue } from '../../routing/queue/request-queue.ts'

export interface HealthSourceOptions {
  readonly routingState: {
    readonly health: HealthTracker
    readonly inFlight: ConcurrencyLimits
    readonly latency: LatencyTracker
  }
  readonly catalog: Pick<CatalogSource, 'current'>
  readonly queue: () => RequestQueue | undefined
  /** The faults of the last reads of channels' lists, without secrets. */
  readonly listFaults: () => ReadonlyMap<string, ListFault>
  /** The last check of each credential. */
  readonly checks: () => readonly CheckReport[]
  /** Called after a channel's health was reset. */
  readonly onReset: (channelName: string) => void
}

export function createHealthSource({
  routingState,
  catalog,
  queue,
  listFaults,
  checks,
  onReset,
}: HealthSourceOptions): HealthSource {
  return {
    report: (nowMs) => routingState.health.report(nowMs),
    channels() {
      const checked = Map.groupBy(checks(), ({ channel }) => channel)
      const latencies = Map.groupBy(routingState.latency.report(), ({ channel }) => channel)
      const faults = listFaults()
      const { channels, unlisted } = catalog.current()
      const withoutList = new Set(unlisted)
      return channels.map(({ name, concurrency, healthCheck, models }): ChannelLoad => {
        const calls = routingState.inFlight.ofModels(name)
        const measured = new Map(latencies.get(name)?.map((one) => [one.upstreamModel, one]))
        return {
          name,
          callsInFlight: routingState.inFlight.ofChannel(name),
          limit: concurrency,
          modelsList:
            models.type === 'named'
              ? undefined
              : { isKnown: !withoutList.has(name), fault: faults.get(name) },
          checks: healthCheck === undefined ? undefined : (checked.get(name) ?? []),
          models: [...new Set([...calls.keys(), ...measured.keys()])].map((upstreamModel) => ({
            upstreamModel,
            callsInFlight: calls.get(upstreamModel) ?? 0,
            streamMs: measured.get(upstreamModel)?.streamMs,
            wholeMs: measured.get(upstreamModel)?.wholeMs,
          })),
        }
      })
    },
    waiting() {
      const current = queue()
      return current === undefined ? undefined : { count: current.size, limit: current.capacity }
    },
    reset(channelName) {
      if (!catalog.current().channels.some(({ name }) => name === channelName)) return false
      routingState.health.forget(channelName)
      onReset(channelName)
      return true
    },
  }
}
