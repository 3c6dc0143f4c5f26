import type { Registry } from 'prom-client'
import { z } from 'zod'

// The types of prom-client leave the names of the labels out.
const descriptionSchema = z
  .object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    labelNames: z.array(z.string()),
  })
  .transform(({ labelNames, ...named }) => ({ ...named, labels: labelNames }))

/** A metric as a scrape has it. */
export type MetricDescription = z.output<typeof descriptionSchema>

/** The metrics of Headgate, and those of its process and of Node that prom-client adds, in the order of a scrape. */
export function describeMetrics(registry: Registry): readonly MetricDescription[] {
  return registry.getMetricsAsArray().map((metric) => descriptionSchema.parse(metric))
}
