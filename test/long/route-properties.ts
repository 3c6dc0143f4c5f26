// 100,000 generated catalogues and failure scripts in simulated time: no plan names anything twice or anything that the
// route does not name, no request asks one target again unless the verdict says so, none begins a call after
// its deadline, and every place is given back.
import { runRouteCase } from '../support/route-case.ts'

const CASES = Number(process.env['ROUTE_CASES'] ?? 100_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

const startedAtMs = Date.now()
const wrong: string[] = []
for (let count = 0; count < CASES; count += 1) wrong.push(...runRouteCase(SEED + count))
const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(0)
process.stdout.write(
  `route properties: ${CASES} cases (seed ${SEED}) in ${seconds} s; wrong ${wrong.length}\n`,
)
for (const example of wrong.slice(0, 10)) process.stdout.write(`  ${example}\n`)
if (wrong.length > 0) process.exitCode = 1
