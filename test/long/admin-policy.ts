// Asks every operation of the admin API with every role and every credential, and compares the answers with the policy.
// `npm test` asks every fourth pair of them.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/e2e/admin-policy', '--testTimeout=0'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, POLICY_EVERY: '1' } },
)
process.exitCode = status ?? 1
