import { join } from 'node:path'
import { z } from 'zod'
import { createAgent } from './create-agent.ts'
import { documentedVariables } from './documented-settings.ts'
import { readJsonLines } from './read-json-lines.ts'

/** Qwen Code, as https://qwenlm.github.io/qwen-code-docs/ describes it (seen 2026-11-20). */
export const qwenCode = createAgent({
  name: 'qwen-code',
  formats: ['chat', 'messages'],
  prepare(job) {
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@qwen-code/qwen-code/cli-entry.js'),
        ...['--auth-type', job.format === 'chat' ? 'openai' : 'anthropic'],
        '--yolo',
        '--output-format',
        'stream-json',
        ...['-p', job.prompt],
      ],
      environment: documentedVariables('Qwen Code', job),
    }
  },
  readUsage(stdout) {
    const usage = readJsonLines(stdout, resultSchema).at(-1)?.usage
    return (
      usage && {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.cache_read_input_tokens,
        cacheWrite: undefined,
      }
    )
  },
})

const resultSchema = z.object({
  type: z.literal('result'),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number().optional(),
  }),
})
