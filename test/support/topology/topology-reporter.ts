import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** One line for each file as it ends, and its tests that failed; at the end those that were skipped and why. */
export default class TopologyReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const test of module.children.allTests()) counts[test.result().state] += 1
    const seconds = Math.round(module.diagnostic().duration / 1_000)
    const { passed, failed, skipped } = counts
    const name = module.relativeModuleId
    print(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`)
    for (const { message } of module.errors()) print(`FAILED ${name}\n  ${message}`)
    for (const suite of module.children.allSuites())
      for (const { message } of suite.errors()) print(`FAILED ${name} > ${suite.fullName}\n  ${message}`)
    for (const test of module.children.allTests('failed')) printFailure(test)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    printSkips(modules.flatMap(({ children }) => [...children.allTests('skipped')]))
  }
}

function printFailure(test: TestCase): void {
  print(`FAILED ${nameOf(test)}`)
  for (const { message, stack = '' } of test.result().errors ?? [])
    print(`  ${message.slice(0, 600)}\n  ${stack.match(/ (\S*\/)?(test\/\S+\.test\.ts:\d+)/)?.[2] ?? ''}`)
}

function printSkips(skipped: readonly TestCase[]): void {
  const byReason = Map.groupBy(skipped, (test) => reasonOf(test))
  for (const [reason, tests] of [...byReason].toSorted(([, a], [, b]) => b.length - a.length)) {
    print(`\nskipped ${tests.length}: ${reason}`)
    for (const test of tests) print(`  ${nameOf(test)}`)
  }
}

/** The reason that the test gave, or what ended the hook before all tests of its file. */
const reasonOf = (test: TestCase) =>
  test.meta().skipReason ?? test.module.errors()[0]?.message ?? 'skipped in one process, too'

const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
