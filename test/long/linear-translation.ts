// Measures how the cost of a translation grows with its length: every shape of a request of every caller's format, for
// every format of a channel. `npm test` measures every other pair of them.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/linear-translation', '--testTimeout=0'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SHAPES_EVERY: '1' } },
)
process.exitCode = status ?? 1
