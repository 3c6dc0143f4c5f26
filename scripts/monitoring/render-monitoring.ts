import { stringify } from 'yaml'
import type { MetricDescription } from '../../src/telemetry/metric-schema.ts'
import { alertRules } from './alert-rules.ts'
import { findUnknownNames } from './check-query.ts'
import { type Panel, type PanelRow, panelRows } from './dashboard-panels.ts'

const HEADER =
  '# Written by scripts/write-monitoring.ts from the table of metrics; change scripts/monitoring/ instead.\n'
const COLUMNS = 24
const PANEL = { width: 8, height: 8 }

/** The file of rules for Prometheus. Throws where a query names a metric or a label that does not exist. */
export function renderRules(table: readonly MetricDescription[]): string {
  const rules = alertRules.map(({ alert, severity, query, for: duration, summary, action }) => ({
    alert,
    expr: check(query, table),
    for: duration,
    labels: { severity },
    annotations: { summary, action },
  }))
  return HEADER + stringify({ groups: [{ name: 'headgate', rules }] }, { lineWidth: 0 })
}

/** The dashboard for Grafana: the panels of each row, and one for each metric of the gateway that is on none of them. */
export function renderDashboard(table: readonly MetricDescription[]): string {
  const rows = [...panelRows, describeOthers(table)]
  const panels: object[] = []
  let y = 0
  for (const { title, panels: ofRow } of rows) {
    panels.push({
      type: 'row',
      title,
      id: panels.length + 1,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    })
    y += 1
    ofRow.forEach((panel, index) => {
      const x = (index * PANEL.width) % COLUMNS
      if (index > 0 && x === 0) y += PANEL.height
      panels.push(writePanel(panel, { id: panels.length + 1, x, y, table }))
    })
    y += PANEL.height
  }
  return `${JSON.stringify({ ...settings, panels }, null, 2)}\n`
}

/** Grafana's data model, version 39 (grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model). */
const settings = {
  title: 'Headgate',
  uid: 'headgate',
  tags: ['headgate'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  timezone: '',
  templating: {
    list: [
      { name: 'source', label: 'Source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 },
    ],
  },
  annotations: { list: [] },
}

interface Position {
  readonly id: number
  readonly x: number
  readonly y: number
  readonly table: readonly MetricDescription[]
}

function writePanel(
  { title, kind, unit, queries, description }: Panel,
  { id, x, y, table }: Position,
): object {
  const datasource = { type: 'prometheus', uid: '$' + '{source}' }
  return {
    id,
    type: kind,
    title,
    ...(description === undefined ? {} : { description }),
    datasource,
    gridPos: { x, y, w: PANEL.width, h: PANEL.height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ query, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr: check(query, table),
      legendFormat: legend,
    })),
  }
}

/** A panel for each of the gateway's metrics that no other panel shows, by the kind of the metric. */
function describeOthers(table: readonly MetricDescription[]): PanelRow {
  const shown = JSON.stringify(panelRows)
  const others = table.filter(({ name }) => name.startsWith('headgate_') && !shown.includes(name))
  return { title: 'All other metrics', panels: others.map(describeOne) }
}

function describeOne({ name, help, type, labels }: MetricDescription): Panel {
  const [by, legend] = [labels.join(', '), labels.map((label) => `{{${label}}}`).join(' ')]
  const group = by === '' ? '' : ` by (${by})`
  const query = type === 'counter' ? `sum${group} (rate(${name}[$__rate_interval]))` : `max${group} (${name})`
  const unit = name.includes('_bytes') ? 'bytes' : 'short'
  return {
    title: name,
    description: help,
    kind: 'timeseries',
    unit,
    queries: [{ query, legend: legend || name }],
  }
}

function check(query: string, table: readonly MetricDescription[]): string {
  const unknown = findUnknownNames(query, table)
  if (unknown.length > 0) throw new Error(`${query}: no metric has ${unknown.join(', ')}`)
  return query
}
