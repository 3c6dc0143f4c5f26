import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ClientJob } from './client.ts'
import { createAgent } from './create-agent.ts'

/** Continue's `cn`, as https://docs.continue.dev/reference describes its settings (seen 2026-11-20). */
export const continueCli = createAgent({
  name: 'continue',
  formats: ['chat', 'messages'],
  prepare(job) {
    const file = join(job.home, 'continue.yaml')
    writeFileSync(file, stringify(settings(job)))
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@continuedev/cli/dist/cn.js'),
        ...['--config', file],
        '--auto',
        ...['-p', job.prompt],
      ],
      environment: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_AUTO_UPDATED: '1' },
    }
  },
})

function settings({ format, gatewayUrl, key, model }: ClientJob): object {
  return {
    name: 'headgate',
    version: '1.0.0',
    schema: 'v1',
    models: [
      {
        name: model,
        provider: format === 'chat' ? 'openai' : 'anthropic',
        model,
        apiBase: `${gatewayUrl}/v1`,
        apiKey: key,
        roles: ['chat'],
        capabilities: ['tool_use'],
      },
    ],
  }
}
