import type { MetricDescription } from '../../src/telemetry/metric-schema.ts'

/** Labels that a scrape adds, and the bound of a histogram's bucket. */
const SCRAPE_LABELS = ['job', 'instance', 'pod', 'namespace', 'le']

/** Metrics that Prometheus makes itself. */
const OF_PROMETHEUS: readonly string[] = ['up']

/** Finds what a query of Prometheus names and no metric has. It knows the shapes that the queries here are written in. */
export function findUnknownNames(query: string, table: readonly MetricDescription[]): readonly string[] {
  const metrics = new Map(table.flatMap((metric) => seriesOf(metric).map((name) => [name, metric] as const)))
  const names = [...query.matchAll(/\b(?:headgate|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name)
  const unknown = names.filter((name) => !metrics.has(name) && !OF_PROMETHEUS.includes(name))
  const labels = new Set([...SCRAPE_LABELS, ...names.flatMap((name) => metrics.get(name)?.labels ?? [])])
  return [...unknown, ...labelsOf(query).filter((label) => !labels.has(label))]
}

/** The names of the series that a metric has in a scrape. */
function seriesOf({ name, type }: MetricDescription): readonly string[] {
  if (type !== 'histogram') return [name]
  return ['bucket', 'sum', 'count'].map((suffix) => `${name}_${suffix}`)
}

/** The labels of selectors, without Grafana's variables, and those by which is grouped. */
function labelsOf(query: string): readonly string[] {
  const selectors = [...query.matchAll(/\{([^}]*)\}/g)].map(([, inside = '']) => inside)
  const selected = selectors.flatMap((inside) => [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)])
  const grouped = [...query.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].map(
    ([, list = '']) => list,
  )
  return [
    ...selected.map(([, label = '']) => label),
    ...grouped.flatMap((list) => list.split(',')).map((label) => label.trim()),
  ].filter((label) => label !== '')
}
