// Writes the rules for Prometheus and the dashboard for Grafana into the chart, from the table of metrics:
// node scripts/write-monitoring.ts
import { writeFileSync } from 'node:fs'
import { createMetrics } from '../src/telemetry/metrics.ts'
import { renderDashboard, renderRules } from './monitoring/render-monitoring.ts'

const table = createMetrics({ version: '', node: '', platform: '' }).describe()
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../deploy/helm/headgate/files/${name}`, import.meta.url), text)
write('rules.yaml', renderRules(table))
write('dashboard.json', renderDashboard(table))
