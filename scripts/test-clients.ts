// Runs real clients through the whole product onto channels of each format. `npm run test:clients -- <name>…` runs some.
import { formatIds } from '../src/canonical/format.ts'
import type { Client } from '../test/clients/client.ts'
import { clients } from '../test/clients/clients.ts'
import { installClient } from '../test/clients/install-client.ts'
import { type ClientCase, runCase } from '../test/clients/run-case.ts'

const faults = ['none', 'first-stream-cut'] as const
const names = process.argv.slice(2)
const unknown = names.filter((name) => !clients.some((client) => client.name === name))
if (unknown.length > 0) {
  say(`There is no client ${unknown.join(', ')}; there are ${clients.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

let failures = 0
for (const client of clients) {
  if (names.length === 0 || names.includes(client.name)) failures += await runClient(client)
}
process.exitCode = failures === 0 ? 0 : 1

async function runClient(client: Client): Promise<number> {
  const packages = await installClient(client.name)
  let failed = 0
  for (const callerFormat of client.formats) {
    for (const channelFormat of formatIds) {
      for (const fault of faults) {
        const isGood = await reportCase({ client, callerFormat, channelFormat, packages, fault })
        if (!isGood) failed += 1
      }
    }
  }
  return failed
}

/** Runs one case and says how it went: a line, and one more for each problem. */
async function reportCase(clientCase: ClientCase): Promise<boolean> {
  const { client, callerFormat, channelFormat, fault } = clientCase
  const { problems, rounds, durationMs } = await runCase(clientCase)
  const spoken = client.formats.length > 1 ? ` (${callerFormat})` : ''
  const trouble = fault === 'none' ? '' : ', first stream cut'
  const verdict = problems.length === 0 ? 'passed' : 'FAILED'
  const figures = `${rounds} rounds, ${(durationMs / 1_000).toFixed(1)} s`
  say(`${client.name}${spoken} on ${channelFormat}${trouble}: ${verdict} (${figures})`)
  for (const problem of problems) say(`  ${problem}`)
  return problems.length === 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
