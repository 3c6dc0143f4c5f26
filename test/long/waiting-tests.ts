// Runs the tests that `npm test` leaves out since they wait long: nodes that take each other's work over, every fault of
// calls for stored objects, and a move to PostgreSQL.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const files = ['shared-alerts', 'object-faults', 'test/postgres/migrate']
const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, WAITING_TESTS: '1' },
})
process.exitCode = status ?? 1
