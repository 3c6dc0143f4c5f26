import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Client } from './client.ts'
import { createAgent } from './create-agent.ts'
import { documentedSettings } from './documented-settings.ts'
import { readJsonLines } from './read-json-lines.ts'

/** Codex, as https://developers.openai.com/codex/config and its `codex exec` describe it (seen 2026-11-20). */
export const codex = createCodex('codex', '')

const overSocket = createCodex('codex-websocket', 'supports_websockets = true\n')

/** The same over WebSocket. Codex falls back to HTTP without a word, so that the gateway is asked what it sees. */
export const codexWebSocket: Client = {
  ...overSocket,
  folder: 'codex',
  async run(job) {
    const watch = watchSockets(job.gatewayUrl)
    try {
      const outcome = await overSocket.run(job)
      const isRefused = outcome.problems.length > 0
      const isSeen = isRefused || (await watch.end())
      return isSeen ? outcome : { ...outcome, problems: ['it asked over HTTP'] }
    } finally {
      await watch.end()
    }
  },
}

const POLL_MS = 20

/** Looks again and again at the number of WebSocket connections; ends with whether there was any. */
function watchSockets(gatewayUrl: string) {
  const ending = new AbortController()
  const looking = (async () => {
    let isSeen = false
    while (!isSeen && !ending.signal.aborted) {
      const metrics = await fetch(`${gatewayUrl}/metrics`).then((answer) => answer.text())
      isSeen = /^headgate_websockets [1-9]/m.test(metrics)
      await wait(POLL_MS)
    }
    return isSeen
  })()
  return {
    end() {
      ending.abort()
      return looking
    },
  }
}

function createCodex(name: string, more: string): Client {
  return createAgent({
    name,
    formats: ['responses'],
    prepare(job) {
      const folder = join(job.home, '.codex')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'config.toml'), documentedSettings('Codex', 'toml', job) + more)
      return {
        file: findProgram(job.packages),
        args: [
          'exec',
          '--json',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          job.prompt,
        ],
        environment: { CODEX_HOME: folder, HEADGATE_API_KEY: job.key },
      }
    },
    readUsage(stdout) {
      const usage = readJsonLines(stdout, turnSchema).at(-1)?.usage
      return (
        usage && {
          input: usage.input_tokens,
          output: usage.output_tokens,
          cacheRead: usage.cached_input_tokens,
          cacheWrite: undefined,
        }
      )
    },
  })
}

const turnSchema = z.object({
  type: z.literal('turn.completed'),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_input_tokens: z.number(),
  }),
})

/** The program for this machine, which the package's own starter looks for alike. */
function findProgram(packages: string): string {
  const base = join(packages, '@openai', `codex-${process.platform}-${process.arch}`, 'vendor')
  const file = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const folders = existsSync(base) ? readdirSync(base) : []
  const paths = folders.flatMap((triple) => ['bin', 'codex'].map((part) => join(base, triple, part, file)))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`Codex has no program for ${process.platform} on ${process.arch}`)
  return found
}
