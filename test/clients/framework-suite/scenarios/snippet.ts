import { equal, ok } from 'node:assert/strict'
import { resolve } from 'node:path'
import { testKey } from '../../../support/start-gateway.ts'
import { runCommand } from '../../run-command.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'
import { documentedUrl, readSnippet } from '../read-snippet.ts'

const packages = resolve(import.meta.dirname, '../../frameworks')
const words = 'Hello from the documents.'

/** The code of docs/clients.md as it stands there, but for the gateway's address. */
export const snippet: FrameworkScenario = {
  name: 'snippet',
  async run({ open, name }) {
    await using bench = await open(() => ({ text: words }))
    const code = readSnippet(name).replaceAll(documentedUrl, bench.gateway.url)
    const { exitCode, stdout, stderr } = await runCommand({
      file: process.execPath,
      args: ['--input-type=module-typescript', '--eval', code],
      folder: packages,
      environment: { HEADGATE_KEY: testKey },
      timeoutMs: 20_000,
    })
    equal(exitCode, 0, stderr.slice(-1_000))
    ok(stdout.includes(words), `printed ${stdout}`)
  },
}
