import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installClient } from '../install-client.ts'
import { runCommand } from '../run-command.ts'
import type { ProgramCase } from './program-case.ts'
import type { ProgramGateway } from './program-gateway.ts'

const folder = resolve(import.meta.dirname, '..', 'continue-core')

/** What each task asks: the core of the extensions speaks Ollama's own API, the command line's adapters OpenAI's. */
const tasks: readonly (readonly [task: string, wanted: string, ...asks: string[]])[] = [
  ['core: models', '"demo-embed"', 'GET /api/tags'],
  ['core: chat', '"Hello"," from"', 'POST /api/show', 'POST /api/chat'],
  ['core: completion', '"Hello"," from"', 'POST /api/generate'],
  ['core: vectors', '[[[0.', 'POST /api/embed'],
  ['adapters: models', '"demo-embed"', 'GET /v1/models'],
  ['adapters: chat', 'Hello from', 'POST /v1/chat/completions'],
  ['adapters: stream', '" from"', 'POST /v1/chat/completions'],
  ['adapters: vectors', '[0.', 'POST /v1/embeddings'],
]

/** Continue with a model of the kind `ollama`. */
export async function openContinueCases(gateway: ProgramGateway): Promise<readonly ProgramCase[]> {
  await installClient('continue-core')
  return tasks.map(([scenario, wanted, ...asks]) => ({
    scenario,
    asks,
    run: async () => ({ wanted, found: await runTask(scenario, gateway) }),
  }))
}

async function runTask(task: string, { url, key }: ProgramGateway): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-continue-'))
  mkdirSync(join(home, '.continue'))
  try {
    const { exitCode, stdout, stderr } = await runCommand({
      file: process.execPath,
      args: ['--import', './load-core.ts', 'ask-through-continue.ts'],
      folder,
      environment: { HOME: home, GATEWAY_URL: url, KEY: key, TASK: task },
      timeoutMs: 60_000,
    })
    if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${stderr.slice(-500)}`)
    return stdout
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
