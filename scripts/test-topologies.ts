// Runs the end-to-end suites with each gateway as several processes: `workers` as `headgate serve --workers 2`, `nodes`
// as two of them on one PostgreSQL behind a balancer that hands each request to the next. The processes run the bundle
// of the npm package, which starts faster than the source. The words name topologies, and files for vitest.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const known = ['workers', 'nodes']
const asked = process.argv.slice(2)
const files = asked.filter((word) => !known.includes(word))
const topologies = known.filter((name) => asked.includes(name) || !asked.some((word) => known.includes(word)))

// A folder of its own: what is built for people stays, and the packages are found above it.
const built = join(root, 'node_modules', '.cache', `topologies-${process.pid}`)
await bundle(join(built, 'dist'))
for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(built, name), { recursive: true })

const server = await startPostgres()
try {
  for (const topology of topologies) run(topology)
} finally {
  await server[Symbol.asyncDispose]()
  rmSync(built, { recursive: true, force: true })
}

function run(topology: string): void {
  process.stdout.write(`\n${topology}\n`)
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.topologies.config.ts', ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        HEADGATE_TEST_TOPOLOGY: topology,
        HEADGATE_TEST_LAUNCHER: join(built, 'bin', 'headgate.js'),
        HEADGATE_TEST_DATABASE_SERVER: `postgres://headgate@127.0.0.1:${server.port}/postgres`,
      },
    },
  )
  if (status !== 0) process.exitCode = 1
}
