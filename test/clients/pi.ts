import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientJob } from './client.ts'
import { createAgent } from './create-agent.ts'

/** pi, as the package's docs/models.md and README describe it (version 0.73.1). */
export const pi = createAgent({
  name: 'pi',
  formats: ['chat', 'messages'],
  prepare(job) {
    const folder = join(job.home, '.pi', 'agent')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'models.json'), JSON.stringify(settings(job)))
    return {
      file: process.execPath,
      args: [
        join(job.packages, '@mariozechner/pi-coding-agent/dist/cli.js'),
        ...['-p', '--no-session'],
        ...['--provider', 'headgate', '--model', job.model],
        job.prompt,
      ],
      environment: { PI_OFFLINE: '1' },
    }
  },
})

function settings({ format, gatewayUrl, key, model }: ClientJob): object {
  const address =
    format === 'chat'
      ? { api: 'openai-completions', baseUrl: `${gatewayUrl}/v1` }
      : { api: 'anthropic-messages', baseUrl: gatewayUrl }
  return { providers: { headgate: { ...address, apiKey: key, models: [{ id: model }] } } }
}
