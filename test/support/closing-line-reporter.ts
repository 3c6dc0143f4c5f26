import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with one plain line that any script can read: `12 passed, 0 failed, 1 skipped`. The lines before it name the
 * tests that passed on their second try only: each of them is a race to mend.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state] += 1
        if (test.diagnostic()?.flaky === true) {
          process.stdout.write(`\nPassed on the second try: ${module.relativeModuleId} > ${test.fullName}`)
        }
      }
      if (module.errors().length > 0) counts.failed += 1
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
