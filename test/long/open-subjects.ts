import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StartedProcess, startProcess } from '../../bench/start-process.ts'
import nodeOptions from '../../bin/node-options.json' with { type: 'json' }

export const longTestKey = 'long-test-key-0123456789abcdef'

export interface Subject {
  readonly name: 'relay' | 'headgate'
  readonly port: number
  readonly process: StartedProcess
}

export interface Subjects {
  readonly relay: Subject
  readonly headgate: Subject
  close(): Promise<void>
}

/** Starts the gateway with everything on and the bare relay, each a process of its own, before one upstream. */
export async function openSubjects(upstreamOrigin: string): Promise<Subjects> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-long-'))
  const config = join(folder, 'headgate.yaml')
  writeFileSync(
    config,
    `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
keys:
  - { name: long, secret: ${longTestKey}, models: ["m"] }
channels:
  - name: chat
    provider: openai-compatible
    base_url: ${upstreamOrigin}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: [m]
`,
  )
  const relay = await startProcess({ core: 0, args: ['--expose-gc', 'bench/bare-relay.ts', upstreamOrigin] })
  const headgate = await startProcess({
    core: 0,
    args: ['--expose-gc', ...nodeOptions, 'bench/headgate.ts', config],
  })
  return {
    relay: { name: 'relay', port: Number(relay.firstLine), process: relay },
    headgate: { name: 'headgate', port: Number(headgate.firstLine), process: headgate },
    async close() {
      await Promise.all([relay.stop(), headgate.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The bytes of a streamed chat request, for raw sockets. */
export function rawStreamRequest(model = 'm'): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'go' }] })
  return [
    'POST /v1/chat/completions HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${longTestKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
