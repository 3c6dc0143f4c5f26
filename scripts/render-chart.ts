// Renders the chart with helm into deploy/helm/rendered, for several sets of values: node scripts/render-chart.ts
// HELM names the program where it is not in the PATH. The tests read what is written here, so they need no helm.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashChart } from './chart/hash-chart.ts'

const root = join(import.meta.dirname, '..')
const chart = join(root, 'deploy/helm/headgate')
const rendered = join(root, 'deploy/helm/rendered')
const helm = process.env['HELM'] ?? 'helm'
/** The newest version whose schemas the chart was compared with. */
const KUBERNETES = '1.37.0'

const run = (...words: readonly string[]): string =>
  execFileSync(helm, words, { encoding: 'utf8', maxBuffer: 2 ** 26 })

mkdirSync(rendered, { recursive: true })
const cases = readdirSync(rendered).filter((name) => name.endsWith('.values.yaml'))
for (const name of cases) {
  const values = ['--values', join(rendered, name)]
  run('lint', chart, '--strict', '--kube-version', KUBERNETES, ...values)
  const output = run(
    'template',
    'headgate',
    chart,
    '--namespace',
    'models',
    '--kube-version',
    KUBERNETES,
    ...values,
  )
  const head = `# Rendered by helm with ${name}; npx node scripts/render-chart.ts writes it again.\n# chart: ${hashChart(chart)}\n`
  writeFileSync(join(rendered, name.replace('.values', '')), head + output)
}
process.stdout.write(`${run('version', '--short').trim()}: ${cases.length} sets of values\n`)
