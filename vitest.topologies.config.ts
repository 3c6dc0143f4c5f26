import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { readImports } from './test/support/topology/read-imports.ts'
import whole from './vitest.config.ts'

const { projects: _, ...settings } = whole.test ?? {}
const support = join(import.meta.dirname, 'test/support')

/** The suites whose gateway `startGateway` starts, over several processes: scripts/test-topologies.ts runs them. */
export default defineConfig({
  ...whole,
  test: {
    ...settings,
    include: ['test/e2e', 'test/security', 'test/browser'].flatMap((folder) =>
      readdirSync(join(import.meta.dirname, folder), { encoding: 'utf8', recursive: true })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(folder, name))
        .filter((file) =>
          readImports(join(import.meta.dirname, file)).has(join(support, 'start-gateway.ts')),
        ),
    ),
    exclude: [],
    // Files share their imports, as in vitest.config.ts.
    isolate: false,
    runner: './test/support/topology/running-suite.ts',
    reporters: ['./test/support/topology/topology-reporter.ts', './test/support/closing-line-reporter.ts'],
    // Each gateway is three or more processes that start, and keeps all processors busy.
    maxWorkers: Math.max(1, availableParallelism() - 1),
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
