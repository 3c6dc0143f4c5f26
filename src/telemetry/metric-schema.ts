import { z } from 'zod'

/** A metric in prom-client's form. The package's types lack the names of the labels. */
export const metricSchema = z
  .object({
    name: z.string(),
    help: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
    labelNames: z.array(z.string()),
  })
  .transform(({ labelNames, name, help, type }) => ({ name, help, type, labels: labelNames }))

/** A metric as a scrape shows it. */
export type MetricDescription = z.output<typeof metricSchema>
