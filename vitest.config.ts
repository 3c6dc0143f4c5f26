import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepFoldersInMemory } from './test/support/program/memory-folder.ts'
import { findProgramFolder } from './test/support/program/program-folder.ts'

// Every gateway that a test opens starts a thread, which would compile its modules again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

// Gateways of tests live for seconds, and would spend them on getting warm.
process.env['HEADGATE_WARM_UP'] ??= 'off'

process.env['HEADGATE_TEST_LAUNCHER'] ??= join(findProgramFolder(), 'bin', 'headgate.js')

keepFoldersInMemory()

/** Files that take longest, by measurement: what starts last should be short, so that no worker is left with a long one. */
const LONGEST =
  /-laws\.test\.ts$|-faults\.test\.ts$|fault-matrix|fenced-commands|packed-package|launcher|cut-answers|admin-policy|recorded-traffic|long-conversations|linear-translation|restart\.test|people\.test/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    // Test files of one process share their imports, which are half the time of a short test, and threads of gateways.
    projects: [
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          // `npm run test:console` runs the tests in a browser.
          exclude: ['test/clients/**', 'test/long/**', 'test/browser/**', '**/node_modules/**'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'console/**/*.test.ts'],
          isolate: false,
        },
      },
    ],
    globalSetup: 'test/support/program/set-up.ts',
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Many tests wait for sockets, timers and processes, so that two processors have time for three files.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // A test takes seconds. A busy or slow machine needs many times that, and a test that hangs still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A page is looked at until it says what is expected, as a person would.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    // A machine that stands still fails any test once; the last lines of a run name each test that needed a second try.
    retry: 1,
    reporters: ['default', './test/support/closing-line-reporter.ts'],
  },
})
