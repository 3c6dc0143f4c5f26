// Holds every law of every format to 100,000 cases. CASES in the environment changes their number; arguments name
// formats, such as `chat`, all where there are none.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const CASES = process.env['CASES'] ?? '100000'
const root = join(import.meta.dirname, '..', '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const formats = process.argv.slice(2)
const folders = formats.length === 0 ? [''] : formats.map((format) => `src/wire/${format}/`)
const files = folders.flatMap((folder) => [`${folder}request-laws`, `${folder}reply-laws`])

process.stdout.write(`every law, ${CASES} cases each\n`)
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', ...files, '--testTimeout=0', '--reporter=verbose'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, LAW_RUNS: CASES } },
)
process.exitCode = status ?? 1
