import { setTimeout as wait } from 'node:timers/promises'
import { agentFormats } from '../../support/agent/speech.ts'
import type { FrameworkName } from '../frameworks/framework-names.ts'
import type { Bench, FrameworkScenario, Subject } from './framework-scenario.ts'
import { frameworkScenarios } from './framework-scenarios.ts'
import { installFrameworks, loadFramework } from './load-framework.ts'
import { openBench } from './open-bench.ts'

export interface FrameworkResult {
  readonly row: string
  readonly channel: string
  readonly scenario: string
  readonly problems: readonly string[]
  /** Why there was nothing to run; undefined where it ran. */
  readonly obstacle: string | undefined
}

const LIMIT_MS = 25_000

/** Runs every scenario with each library on a channel of each format, and hands over each result as it comes. */
export async function runFrameworks(
  names: readonly FrameworkName[],
  report: (result: FrameworkResult) => void,
): Promise<readonly FrameworkResult[]> {
  await installFrameworks()
  const results: FrameworkResult[] = []
  for (const name of names) {
    const framework = await loadFramework(name)
    for (const channelFormat of agentFormats) {
      for (const scenario of frameworkScenarios) {
        const result = await runScenario(scenario, { name, framework, channelFormat })
        results.push(result)
        report(result)
      }
    }
  }
  return results
}

async function runScenario(
  scenario: FrameworkScenario,
  about: Omit<Subject, 'open'>,
): Promise<FrameworkResult> {
  const benches: Bench[] = []
  const open: Subject['open'] = async (play) => {
    const bench = await openBench(about.framework, about.channelFormat, play)
    benches.push(bench)
    return bench
  }
  const subject = { ...about, open }
  const obstacle = scenario.findLedgerRefusal?.(subject)
  const failures = obstacle === undefined ? await problemsOf(scenario.run(subject)) : []
  const refusals = benches.flatMap(({ upstream }) => upstream.refusals)
  const problems = [...failures, ...refusals.map((words) => `the upstream refused a request: ${words}`)]
  const { name: row, channelFormat: channel } = about
  return { row, channel, scenario: scenario.name, problems, obstacle }
}

async function problemsOf(run: Promise<void>): Promise<readonly string[]> {
  const ended = new AbortController()
  const limit = wait(LIMIT_MS, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`took longer than ${LIMIT_MS} ms`)
  })
  try {
    await Promise.race([run, limit])
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  } finally {
    ended.abort()
    limit.catch(() => undefined)
  }
}
