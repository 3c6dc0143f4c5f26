// The metrics of all processes of one machine, as one answer.
import type { Metrics } from '../../telemetry/metrics.ts'
import type { ProcessPart } from './process-part.ts'

/** Metrics that render those of all processes together. */
export function joinMetrics(
  metrics: Metrics,
  part: Pick<ProcessPart, 'collectMetrics'> | undefined,
): Pick<Metrics, 'render' | 'contentType'> {
  if (part === undefined) return metrics
  return {
    contentType: metrics.contentType,
    render: async () => metrics.renderWith(await part.collectMetrics()),
  }
}
