import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientJob } from './client.ts'
import { createAgent } from './create-agent.ts'

/** opencode, as https://opencode.ai/docs/providers and https://opencode.ai/docs/cli describe it (seen 2026-11-20). */
export const opencode = createAgent({
  name: 'opencode',
  formats: ['chat', 'messages'],
  prepare(job) {
    writeFileSync(join(job.workspace, 'opencode.json'), JSON.stringify(settings(job)))
    return {
      file: findProgram(job.packages),
      args: ['run', '--model', `headgate/${job.model}`, job.prompt],
      environment: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    }
  },
})

function settings({ format, gatewayUrl, key, model }: ClientJob): object {
  return {
    provider: {
      headgate: {
        npm: format === 'chat' ? '@ai-sdk/openai-compatible' : '@ai-sdk/anthropic',
        options: { baseURL: `${gatewayUrl}/v1`, apiKey: key },
        models: { [model]: {} },
      },
    },
    small_model: `headgate/${model}`,
    permission: { '*': 'allow' },
  }
}

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
