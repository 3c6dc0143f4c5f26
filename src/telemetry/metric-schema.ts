import { z } from 'zod'

/** A metric as prom-client has it, whose types leave the names of the labels out. */
export const metricSchema = z
  .object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    labelNames: z.array(z.string()),
  })
  .transform(({ labelNames, name, help, type }) => ({ name, help, type, labels: labelNames }))

/** A metric as a scrape has it. */
export type MetricDescription = z.output<typeof metricSchema>
