import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The reason for which a test cannot run in the topology. */
    skipReason?: string
  }
}

declare global {
  /** The suite that runs. It is global, as the runner and the tests load this module each for itself. */
  var headgateRunningSuite: RunnerTestSuite | undefined
}

/** Skips the running test, or all tests of the suite whose hook runs; the report of the run says why. */
export function skipRunning(reason: string): never {
  const running = TestRunner.getCurrentTest()
  if (running === undefined) return skipSuite(reason)
  running.meta.skipReason = reason
  return running.context.skip(reason)
}

/** Skips by the context of a test, which alone can make the error that does so. */
function skipSuite(reason: string): never {
  const tests = testsOf(globalThis.headgateRunningSuite)
  for (const { meta } of tests) meta.skipReason = reason
  const [first] = tests
  if (first === undefined) throw new Error(reason)
  const before = first.result
  try {
    first.context.skip(reason)
  } catch (error) {
    if (before === undefined) delete first.result
    else first.result = before
    throw error
  }
  throw new Error(reason)
}

function testsOf(suite: RunnerTestSuite | undefined): readonly RunnerTestCase[] {
  return (suite?.tasks ?? []).flatMap((task) => (task.type === 'test' ? [task] : testsOf(task)))
}

/** Runs the tests as vitest does, and remembers the suite that is run. */
export default class SuiteRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    globalThis.headgateRunningSuite = suite
    await super.onBeforeRunSuite(suite)
  }
}
