import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../../bench/start-process.ts'
import nodeOptions from '../../bin/node-options.json' with { type: 'json' }
import { longTestKey } from './open-subjects.ts'

export interface MutationGateway {
  readonly port: number
  readonly pid: number
  close(): Promise<void>
}

/** The gateway as a process of its own, with a channel of each format before one upstream. */
export async function openMutationGateway(upstreamOrigin: string): Promise<MutationGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-mutations-'))
  const config = join(folder, 'headgate.yaml')
  const channel = (name: string, provider: string, basePath: string) => `  - name: ${name}
    provider: ${provider}
    base_url: ${upstreamOrigin}${basePath}
    api_key: upstream-key-0123456789
    allow_private: true
    models: [m-${name}]
    timeouts: { headers: 2s, first_content: 2s, idle: 2s }
    breaker: off
`
  writeFileSync(
    config,
    `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
keys:
  - { name: long, secret: ${longTestKey}, models: ["*"] }
channels:
${channel('chat', 'openai-compatible', '/v1')}${channel('messages', 'anthropic-compatible', '')}models:
  m-chat: { max_embedding_inputs: 2 }
retry: { attempts: 1 }
`,
  )
  const args = ['--expose-gc', ...nodeOptions, 'bench/headgate.ts', config]
  const started = await startProcess({ core: 0, args })
  return {
    port: Number(started.firstLine),
    pid: started.pid,
    async close() {
      await started.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
