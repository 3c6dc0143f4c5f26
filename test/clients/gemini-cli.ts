import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createAgent } from './create-agent.ts'
import { documentedVariables } from './documented-settings.ts'

/** Gemini CLI, as https://geminicli.com/docs/ describes it (seen 2026-11-20). */
export const geminiCli = createAgent({
  name: 'gemini-cli',
  formats: ['gemini'],
  prepare(job) {
    const folder = join(job.home, '.gemini')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@google/gemini-cli/bundle/gemini.js'),
        ...['--model', job.model],
        '--output-format',
        'json',
        '--yolo',
        '--skip-trust',
        ...['--prompt', job.prompt],
      ],
      environment: documentedVariables('Gemini CLI', job),
    }
  },
  readUsage(stdout) {
    const reported = readOutput(stdout)
    if (reported === undefined) return undefined
    const counts = Object.values(reported.stats.models).map(({ tokens }) => tokens)
    const sum = (count: (tokens: Tokens) => number) =>
      counts.reduce((total, tokens) => total + count(tokens), 0)
    return {
      input: sum(({ prompt }) => prompt),
      output: sum(({ candidates, thoughts }) => candidates + thoughts),
      cacheRead: sum(({ cached }) => cached),
      cacheWrite: undefined,
    }
  },
})

/** The key of the environment, and nothing sent to anybody else. */
const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, disableUpdateNag: true },
}

const tokensSchema = z.object({
  prompt: z.number(),
  candidates: z.number(),
  thoughts: z.number(),
  cached: z.number(),
})
type Tokens = z.infer<typeof tokensSchema>
const outputSchema = z.object({
  response: z.string(),
  stats: z.object({ models: z.record(z.string(), z.object({ tokens: tokensSchema })) }),
})

/** One object, after what it may have to say first. */
function readOutput(stdout: string) {
  try {
    return outputSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))))
  } catch {
    return undefined
  }
}
