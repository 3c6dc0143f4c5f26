import { join } from 'node:path'
import type { ClientJob } from './client.ts'
import { createAgent } from './create-agent.ts'

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
        ...['-p', job.prompt],
      ],
      environment: environment(job),
    }
  },
})

function environment({ format, gatewayUrl, key, model }: ClientJob): Record<string, string> {
  return format === 'chat'
    ? { OPENAI_BASE_URL: `${gatewayUrl}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }
    : { ANTHROPIC_BASE_URL: gatewayUrl, ANTHROPIC_API_KEY: key, ANTHROPIC_MODEL: model }
}
