import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ClientJob } from './client.ts'
import { createAgent, runAgent } from './create-agent.ts'
import { readJsonLines } from './read-json-lines.ts'

/** Cline's program, as https://docs.cline.bot/cline-cli describes it (seen 2026-11-20). */
export const cline = createAgent({
  name: 'cline',
  // It has an anthropic provider too, which takes no other address.
  formats: ['chat'],
  async prepare(job) {
    const { model, key, gatewayUrl } = job
    mkdirSync(join(folderOf(job), 'settings'), { recursive: true })
    writeFileSync(join(folderOf(job), 'settings', 'global-settings.json'), JSON.stringify(quiet))
    const provider = 'openai-compatible'
    const known = await runAgent(
      start(job, ['auth', '-p', provider, '-k', key, '-m', model, '-b', `${gatewayUrl}/v1`]),
      job,
    )
    if (known.exitCode !== 0) throw new Error(`cline auth failed: ${known.stdout}${known.stderr}`)
    return start(job, ['--json', '-P', provider, '-m', model, job.prompt])
  },
  readUsage(stdout) {
    const usage = readJsonLines(stdout, resultSchema).at(-1)?.usage
    return (
      usage && {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadTokens,
        // It reads no count of these.
        cacheWrite: undefined,
      }
    )
  },
})

const resultSchema = z.object({
  type: z.literal('run_result'),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number(), cacheReadTokens: z.number() }),
})

const quiet = { telemetryOptOut: true, autoUpdateEnabled: false }

function start(job: ClientJob, args: readonly string[]) {
  const folder = folderOf(job)
  return {
    file: process.execPath,
    args: [join(job.packages, 'cline/bin/cline'), ...args, '--data-dir', folder, '--config', folder],
    environment: {},
  }
}

function folderOf({ home }: ClientJob): string {
  return join(home, 'cline')
}
