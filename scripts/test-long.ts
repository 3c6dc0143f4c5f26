// Runs the long suites one after the other; each prints its figures and fails by its exit code.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const suites = [
  'stalled-readers',
  'callers-leave',
  'aborted-uploads',
  'mutate-requests',
  'mutate-bodies',
  'body-turns',
  'answer-turns',
  'slow-clients',
  'attack',
  'mutate-replies',
  'fuzz-answers',
  'config-swaps',
  'request-log-pages',
  'row-rate',
  'ledger-reports',
  'laws',
  'admin-policy',
  'linear-translation',
  'route-properties',
  'cut-answers',
  'fault-matrix',
  'scenarios',
  'two-upstreams',
  'long-conversations',
  'budget-histories',
  'budget-race',
  'many-nodes',
  'node-changes',
  'postgres-away',
  'node-kills',
  'node-restarts',
  'standby-failover',
  'node-partition',
  'migrate-ledger',
  'restore-dump',
  'idempotency',
  'ledger-crash',
  'worker-kills',
  'rolling-restarts',
  'upgrades',
  'price-truth',
  'ledger-stall',
  'power-loss',
]
const asked = process.argv.slice(2)
let failed = 0
for (const suite of suites.filter((name) => asked.length === 0 || asked.includes(name))) {
  const file = join(import.meta.dirname, '..', 'test', 'long', `${suite}.ts`)
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' })
  if (status !== 0) {
    failed += 1
    process.stdout.write(`${suite}: FAILED\n`)
  }
}
process.exitCode = failed === 0 ? 0 : 1
