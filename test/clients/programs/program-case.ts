import type { CaseResult } from '../../../scripts/render-client-results.ts'
import { until } from '../../support/until.ts'
import type { ProgramGateway } from './program-gateway.ts'

/** One thing that a program does, and the requests that it makes for it. */
export interface ProgramCase {
  readonly scenario: string
  /** Such as `POST /v1/embeddings`; each must be asked, and answered with 200. */
  readonly asks: readonly string[]
  /** Gives what must be in what comes back, and what came back. */
  run(): Promise<{ readonly wanted: string; readonly found: string }>
}

/** Runs the case, and looks at what the gateway was asked meanwhile. */
export async function runProgramCase(
  row: string,
  { scenario, asks, run }: ProgramCase,
  gateway: ProgramGateway,
): Promise<CaseResult> {
  const before = gateway.asked().length
  const problems: string[] = []
  try {
    const { wanted, found } = await run()
    if (!found.includes(wanted)) problems.push(`${JSON.stringify(wanted)} is not in ${found.slice(0, 300)}`)
    await until('all was asked', () => asks.every((each) => asked().includes(`${each} 200`)))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
  if (problems.length > 0) problems.push(`it asked ${asked().join(', ')}`)
  return { row, channel: 'demo', scenario, problems }

  function asked(): readonly string[] {
    return gateway.asked().slice(before)
  }
}
