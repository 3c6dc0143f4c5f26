import { join } from 'node:path'
import { z } from 'zod'
import type { Client, ClientJob } from './client.ts'
import { runAgent } from './create-agent.ts'
import { documentedVariables } from './documented-settings.ts'
import type { CommandResult } from './run-command.ts'

/** Claude Code without a person, as https://code.claude.com/docs/en/headless describes it (seen 2026-11-20). */
export const claudeCode: Client = {
  name: 'claude-code',
  formats: ['messages'],
  async run(job) {
    const result = await runClaude(job)
    return { ...readOutcome(result, job), shown: result.stdout + result.stderr }
  },
}

function runClaude(job: ClientJob): Promise<CommandResult> {
  const wrapper = join(job.packages, '@anthropic-ai/claude-code/cli-wrapper.cjs')
  return runAgent(
    {
      // The package's wrapper finds the program for this machine without the package's install script.
      file: process.execPath,
      args: [
        wrapper,
        ...['-p', job.prompt],
        ...['--model', job.model],
        '--allowedTools',
        'Read,Write',
        '--output-format',
        'json',
      ],
      environment: {
        ...documentedVariables('Claude Code', job),
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
      },
    },
    job,
  )
}

const resultSchema = z.object({
  is_error: z.boolean(),
  result: z.string(),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
  modelUsage: z.record(
    z.string(),
    z.object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadInputTokens: z.number(),
      cacheCreationInputTokens: z.number(),
    }),
  ),
})

function readOutcome({ exitCode, stdout, stderr }: CommandResult, { model }: ClientJob) {
  const result = resultSchema.safeParse(parseOrNothing(stdout))
  if (!result.success) {
    const words = `exit code ${exitCode}, stdout ${stdout.slice(0, 500)}, stderr ${stderr.slice(0, 500)}`
    return { problems: [`gave no readable result: ${words}`], usage: undefined }
  }
  const { is_error: isError, result: words, usage, modelUsage } = result.data
  const used = modelUsage[model]
  const problems = [
    ...(exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(isError ? [`ended with an error: ${words}`] : []),
    ...(usage.input_tokens > 0 && usage.output_tokens > 0 ? [] : ['reports no usage']),
    ...(used === undefined ? [`reports no usage of the model ${model}`] : []),
  ]
  return {
    problems,
    usage: used && {
      input: used.inputTokens + used.cacheReadInputTokens + used.cacheCreationInputTokens,
      cacheRead: used.cacheReadInputTokens,
      cacheWrite: used.cacheCreationInputTokens,
      output: used.outputTokens,
    },
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
