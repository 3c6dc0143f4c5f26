import type { CaseResult } from '../../../scripts/render-client-results.ts'
import { openContinueCases } from './continue-core.ts'
import { openOpenWebUi } from './open-webui.ts'
import { runProgramCase } from './program-case.ts'
import { openProgramGateway } from './program-gateway.ts'

type Report = (result: CaseResult) => void

/** Continue with a model of the kind `ollama`, onto the demo provider. */
export async function runContinueOllama(report: Report): Promise<readonly CaseResult[]> {
  await using gateway = await openProgramGateway()
  const results: CaseResult[] = []
  for (const one of await openContinueCases(gateway)) {
    const result = await runProgramCase('continue, ollama', one, gateway)
    report(result)
    results.push(result)
  }
  return results
}

/** Open WebUI onto the demo provider. */
export async function runOpenWebUi(report: Report): Promise<readonly CaseResult[]> {
  await using gateway = await openProgramGateway()
  await using program = await openOpenWebUi(gateway)
  const results: CaseResult[] = []
  for (const one of program.cases) {
    const result = await runProgramCase('Open WebUI', one, gateway)
    report(result)
    results.push(result)
  }
  return results
}
