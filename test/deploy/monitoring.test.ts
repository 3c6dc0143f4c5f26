import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { alertRules } from '../../scripts/monitoring/alert-rules.ts'
import { findUnknownNames } from '../../scripts/monitoring/check-query.ts'
import { renderDashboard, renderRules } from '../../scripts/monitoring/render-monitoring.ts'
import { writeConfigWarning } from '../../src/config/config-warning.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'

const table = createMetrics({ version: '1', node: '24', platform: 'linux-x64' }).describe()
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('the rules and the dashboard', () => {
  it('equal the output of npx node scripts/write-monitoring.ts for the table of metrics', () => {
    expect(read('deploy/helm/headgate/files/rules.yaml')).toBe(renderRules(table))
    expect(read('deploy/helm/headgate/files/dashboard.json')).toBe(renderDashboard(table))
  })

  it('advise about a price file what the gateway itself advises, since an update does not replace it', () => {
    const path = 'data/prices.json'
    const warning = writeConfigWarning({ kind: 'unreadable_prices', values: { path, reason: 'no JSON' } })
    expect(warning).toContain('correct it, or delete it and run "headgate prices update"')
    const { action } = alertRules.find(({ alert }) => alert === 'HeadgatePriceFileUnreadable') ?? {}
    expect(action).toContain('Correct the file, or delete it and run headgate prices update')
  })

  it('are refused if a metric in them does not exist', () => {
    const without = (gone: string) => table.filter(({ name }) => name !== gone)
    expect(() => renderRules(without('headgate_ledger_up'))).toThrow('no metric has headgate_ledger_up')
    const others = without('headgate_first_content_seconds')
    expect(() => renderDashboard(others)).toThrow('no metric has headgate_first_content_seconds_bucket')
  })

  it('show every metric of the gateway', () => {
    const dashboard = read('deploy/helm/headgate/files/dashboard.json')
    const own = table.map(({ name }) => name).filter((name) => name.startsWith('headgate_'))
    expect(own.filter((name) => !dashboard.includes(name))).toEqual([])
  })
})

it.each([
  ['sum by (model) (rate(headgate_requests_total{status="500"}[5m]))', []],
  ['sum by (team) (rate(headgate_requests_total[5m]))', ['team']],
  ['headgate_requests_total{state="x"}', ['state']],
  ['headgate_request_total', ['headgate_request_total']],
  ['rate(headgate_first_content_seconds[5m])', ['headgate_first_content_seconds']],
  ['histogram_quantile(0.5, sum by (le) (rate(headgate_first_content_seconds_bucket[5m])))', []],
])('the unknown names in %s are %j', (query, unknown) => {
  expect(findUnknownNames(query, table)).toEqual(unknown)
})

describe('the table of metrics in docs/monitoring.md', () => {
  const rows = [...read('docs/monitoring.md').matchAll(/^\| `(headgate_\w+)` \|([^|]*)\|/gm)]
  const documented = rows.map(([, name = '', labels = '']) => ({ name, labels }))

  it('has a row for each metric, and no other', () => {
    const own = table.map(({ name }) => name).filter((name) => name.startsWith('headgate_'))
    expect(documented.map(({ name }) => name).sort()).toEqual([...own].sort())
  })

  it('names the labels of each metric', () => {
    const labelsOf = new Map(table.map(({ name, labels }) => [name, labels.join(' ')]))
    const differing = documented.filter(
      ({ name, labels }) =>
        labels.trim() !== 'the same' && labels.replace(/[`,]/g, '').trim() !== labelsOf.get(name),
    )
    expect(differing).toEqual([])
  })
})
