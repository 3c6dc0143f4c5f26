import { equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { testKey } from '../../../support/start-gateway.ts'
import { frameworkHeadings } from '../../frameworks/framework-names.ts'
import { runCommand } from '../../run-command.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

const clientsFolder = resolve(import.meta.dirname, '../..')
const page = resolve(clientsFolder, '../../docs/clients.md')
const words = 'Hello from the documents.'

/** The code of docs/clients.md as it stands there, but for the gateway's address. */
export const snippet: FrameworkScenario = {
  name: 'snippet',
  async run({ open, name }) {
    await using bench = await open(() => ({ text: words }))
    const { exitCode, stdout, stderr } = await runCommand({
      file: process.execPath,
      args: ['--input-type=module-typescript', '--eval', readSnippet(name, bench.gateway.url)],
      folder: resolve(clientsFolder, 'frameworks'),
      environment: { HEADGATE_KEY: testKey },
      timeoutMs: 20_000,
    })
    equal(exitCode, 0, stderr.slice(-1_000))
    match(stdout, new RegExp(words))
  },
}

function readSnippet(name: keyof typeof frameworkHeadings, gatewayUrl: string): string {
  const heading = `## ${frameworkHeadings[name]}\n`
  const section = readFileSync(page, 'utf8')
    .split(/^(?=## )/m)
    .find((each) => each.startsWith(heading))
  const code = section?.match(/^```ts\n([\s\S]*?)^```/m)?.[1]
  if (code === undefined) throw new Error(`docs/clients.md has no code under "${heading.trim()}"`)
  return code.replaceAll('http://127.0.0.1:8080', gatewayUrl)
}
