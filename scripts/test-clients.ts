// Runs real clients through the whole product onto channels of each format. `npm run test:clients -- <name>…`
// runs some.

import type { Client } from '../test/clients/client.ts'
import { clients } from '../test/clients/clients.ts'
import { type FrameworkResult, runFrameworks } from '../test/clients/framework-suite/run-frameworks.ts'
import { frameworkNames } from '../test/clients/frameworks/framework-names.ts'
import { installClient } from '../test/clients/install-client.ts'
import { describeRequests, type LimitResult, runLimits } from '../test/clients/limits/run-limits.ts'
import { type MediaResult, runMedia } from '../test/clients/media/run-media.ts'
import { runContinueOllama, runOpenWebUi } from '../test/clients/programs/run-programs.ts'
import { type ClientCase, runCase } from '../test/clients/run-case.ts'
import { scenarios } from '../test/clients/scenario.ts'
import { runStoredState, type StoredResult } from '../test/clients/stored-state/run-stored-state.ts'
import { agentFormats } from '../test/support/agent/speech.ts'
import { type CaseResult, renderClientResults } from './render-client-results.ts'

const names = process.argv.slice(2)
/** The libraries that go on from stored answers of the Responses API. */
const STORED = 'stored-responses'
/** The choice that runs some agents and SDKs at our own limits. */
const LIMITS = 'limits'
/** Images, sound and ranking by libraries. */
const MEDIA = 'media'
/** Continue with a model of the kind `ollama`. */
const CONTINUE_OLLAMA = 'continue-ollama'
/** Runs only where it is named, since it installs several gigabytes from PyPI. */
const OPEN_WEBUI = 'open-webui'
const known: readonly string[] = [
  ...clients.map(({ name }) => name),
  ...frameworkNames,
  STORED,
  LIMITS,
  MEDIA,
  CONTINUE_OLLAMA,
  OPEN_WEBUI,
]
const unknown = names.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  say(`There is no client ${unknown.join(', ')}; there are ${known.join(', ')}.`)
  process.exit(2)
}

const results: CaseResult[] = []
for (const client of clients) {
  if (isWanted(client.name)) results.push(...(await runClient(client)))
}
const wantedFrameworks = frameworkNames.filter(isWanted)
const frameworkResults =
  wantedFrameworks.length === 0 ? [] : await runFrameworks(wantedFrameworks, reportFramework)
const storedResults = isWanted(STORED) ? await runStoredState(reportPlainly) : []
const limitResults = isWanted(LIMITS) ? await runLimits(reportLimit) : []
const mediaResults = isWanted(MEDIA) ? await runMedia(reportPlainly) : []
const continueResults = isWanted(CONTINUE_OLLAMA) ? await runContinueOllama(reportPlainly) : []
const webUiResults = names.includes(OPEN_WEBUI) ? await runOpenWebUi(reportPlainly) : []
const programResults = [...continueResults, ...webUiResults]
for (const group of [results, frameworkResults, storedResults, limitResults, mediaResults, programResults]) {
  if (group.length > 0) say(`\n${renderClientResults(group)}`)
}
process.exitCode = [
  ...results,
  ...frameworkResults,
  ...storedResults,
  ...limitResults,
  ...mediaResults,
  ...programResults,
].every(({ problems }) => problems.length === 0)
  ? 0
  : 1

function reportPlainly({ row, channel, scenario, problems }: StoredResult | MediaResult): void {
  say(`${row} on ${channel}, ${scenario}: ${problems.length === 0 ? 'passed' : 'FAILED'}`)
  for (const problem of problems) say(`  ${problem}`)
}

function reportLimit(result: LimitResult): void {
  const { row, channel, scenario, problems } = result
  const verdict = problems.length === 0 ? 'passed' : 'FAILED'
  say(`${row} on ${channel}, ${scenario}: ${verdict} (${describeRequests(result)})`)
  for (const problem of problems) say(`  ${problem}`)
}

function isWanted(name: string): boolean {
  return names.length === 0 || names.includes(name)
}

async function runClient(client: Client): Promise<readonly CaseResult[]> {
  const packages = await installClient(client.folder ?? client.name)
  const found: CaseResult[] = []
  for (const callerFormat of client.formats) {
    for (const channelFormat of agentFormats) {
      for (const scenario of scenarios) {
        found.push(await reportCase({ client, callerFormat, channelFormat, packages, scenario }))
      }
    }
  }
  return found
}

/** Runs one case and says how it went: a line, and one more for each problem. */
async function reportCase(clientCase: ClientCase): Promise<CaseResult> {
  const { client, callerFormat, channelFormat, scenario } = clientCase
  const { problems, rounds, durationMs } = await runCase(clientCase)
  const spoken = client.formats.length > 1 ? ` (${callerFormat})` : ''
  const verdict = problems.length === 0 ? 'passed' : 'FAILED'
  const figures = `${rounds} requests, ${(durationMs / 1_000).toFixed(1)} s`
  say(`${client.name}${spoken} on ${channelFormat}, ${scenario}: ${verdict} (${figures})`)
  for (const problem of problems) say(`  ${problem}`)
  return { row: `${client.name}${spoken}`, channel: channelFormat, scenario, problems }
}

function reportFramework({ row, channel, scenario, problems, obstacle }: FrameworkResult): void {
  const verdict = problems.length === 0 ? 'passed' : 'FAILED'
  say(
    `${row} on ${channel}, ${scenario}: ${obstacle === undefined ? verdict : `not applicable, ${obstacle}`}`,
  )
  for (const problem of problems) say(`  ${problem}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
