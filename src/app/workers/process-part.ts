// The role of a process in an installation with several processes on one machine.
import type { Config } from '../../config/config.ts'
import type { Relay } from '../../server/handed/relay-operators.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { OpenFolder } from '../nodes/open-folder.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'
import type { ListenerSources } from '../open-listeners.ts'

export interface ProcessPart {
  /** `owner`: has the files and answers operators. `worker`: answers callers. `node`: does both, with a database. */
  readonly type: 'owner' | 'worker' | 'node'
  readonly sources: ListenerSources
  /** Relays the requests that the owner answers. */
  readonly relay: Relay | undefined
  readonly bus: ProcessBus
  openFolder(config: Config, version: string): Promise<OpenFolder>
  /** The metrics of all processes, and the sums of those that have ended. Fails while they cannot be collected. */
  collectMetrics(): Promise<readonly MetricsDump[]>
}

/** The metrics of one process as plain data. */
export type MetricsDump = readonly object[]

/** Combines the metrics of all processes for rendering. */
export function joinMetrics(
  metrics: Metrics,
  part: Pick<ProcessPart, 'collectMetrics'> | undefined,
): Pick<Metrics, 'render' | 'contentType'> {
  if (part === undefined) return metrics
  return {
    contentType: metrics.contentType,
    render: async () => metrics.renderSum(await part.collectMetrics()),
  }
}
