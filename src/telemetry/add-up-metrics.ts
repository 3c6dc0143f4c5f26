import { AggregatorRegistry } from 'prom-client'

/**
 * Adds up the metrics of several processes, each as its own registry dumps it. A gauge says by its `aggregator` where
 * adding up makes no sense.
 */
export function addUpMetrics(dumps: readonly (readonly object[])[]): Promise<string> {
  return AggregatorRegistry.aggregate(dumps.map((dump) => [...dump])).metrics()
}
