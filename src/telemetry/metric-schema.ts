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

/** A sum of a counter or a histogram. A histogram has several under names of their own, such as `…_bucket`. */
const dumpedSumSchema = z.object({
  value: z.number(),
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
  metricName: z.string().optional(),
})
export type DumpedSum = z.output<typeof dumpedSumSchema>

/** A metric in a process's dump whose values only grow. Gauges are the state of a process, and end with it. */
export const dumpedSumsSchema = z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(['counter', 'histogram']),
  aggregator: z.string(),
  values: z.array(dumpedSumSchema),
})
export type DumpedSums = z.output<typeof dumpedSumsSchema>
