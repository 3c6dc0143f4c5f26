import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createAgent } from './create-agent.ts'
import { documentedSettings } from './documented-settings.ts'
import { readJsonLines } from './read-json-lines.ts'

/** opencode, as https://opencode.ai/docs/providers and https://opencode.ai/docs/cli describe it (seen 2026-11-20). */
export const opencode = createAgent({
  name: 'opencode',
  formats: ['chat', 'messages'],
  prepare(job) {
    const settings = documentedSettings('opencode', 'json', job)
    writeFileSync(join(job.workspace, 'opencode.json'), settings)
    return {
      file: findProgram(job.packages),
      args: ['run', '--auto', '--format', 'json', '--model', `headgate/${job.model}`, job.prompt],
      environment: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    }
  },
  readUsage(stdout) {
    const steps = readJsonLines(stdout, stepSchema).map(({ part }) => part.tokens)
    const sumOf = (read: (tokens: Tokens) => number) => steps.reduce((sum, each) => sum + read(each), 0)
    return {
      input: sumOf(({ input, cache }) => input + cache.read + cache.write),
      output: sumOf(({ output }) => output),
      cacheRead: sumOf(({ cache }) => cache.read),
      // In the chat format it counts what was written to a cache as fresh.
      cacheWrite: undefined,
    }
  },
})

const tokensSchema = z.object({
  input: z.number(),
  output: z.number(),
  cache: z.object({ read: z.number(), write: z.number() }),
})
type Tokens = z.output<typeof tokensSchema>
const stepSchema = z.object({ type: z.literal('step_finish'), part: z.object({ tokens: tokensSchema }) })

/** The program for this machine; what the package's install script would have linked. */
function findProgram(packages: string): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const base = `opencode-${platform}-${process.arch}`
  const folders = [base, `${base}-baseline`, `${base}-musl`]
  const file = process.platform === 'win32' ? 'opencode.exe' : 'opencode'
  const found = folders.map((folder) => join(packages, folder, 'bin', file)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`opencode has no program for ${platform} on ${process.arch}`)
  return found
}
