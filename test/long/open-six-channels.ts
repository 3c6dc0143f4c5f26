import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../../bench/start-process.ts'
import nodeOptions from '../../bin/node-options.json' with { type: 'json' }
import { channelFormatIds } from '../../src/canonical/format.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { answerWell } from './good-answers.ts'
import { longTestKey } from './open-subjects.ts'

export interface SixChannels {
  readonly port: number
  readonly pid: number
  close(): Promise<void>
}

/**
 * The gateway as a process of its own, with a channel `m-FORMAT` of each format before one upstream that answers well.
 */
export async function openSixChannels(): Promise<SixChannels> {
  const upstream = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(request.url ?? '', Buffer.concat(parts), response))
  })
  upstream.keepAliveTimeout = 60_000
  await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
  const address = upstream.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bodies-'))
  const config = join(folder, 'headgate.yaml')
  const channels = channelFormatIds.map((format) => ({
    format,
    origin: `http://127.0.0.1:${address.port}`,
    models: [`m-${format}`],
    more: 'breaker: off',
  }))
  writeFileSync(
    config,
    `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
log: { level: silent }
keys:
  - { name: long, secret: ${longTestKey}, models: ["*"] }
retry: { attempts: 1 }
${channelYaml(...channels)}`,
  )
  const args = ['--expose-gc', ...nodeOptions, 'bench/headgate.ts', config]
  const started = await startProcess({ core: 0, args })
  return {
    port: Number(started.firstLine),
    pid: started.pid,
    async close() {
      await started.stop()
      upstream.closeAllConnections()
      await new Promise((closed) => upstream.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answer(path: string, body: Buffer, response: ServerResponse): void {
  const text = textFor(path, body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const usageMetadata = { promptTokenCount: 2, candidatesTokenCount: 1, totalTokenCount: 3 }
const part = { type: 'output_text', text: 'Well.', annotations: [] }

/** By a part of the path. Answers are whole, also where a stream was asked for. */
const answers: readonly (readonly [string, object])[] = [
  ['countTokens', { totalTokens: 2 }],
  ['embedContent', { embedding: { values: [1, 2] } }],
  [
    'enerateContent',
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Well.' }] }, finishReason: 'STOP' }],
      usageMetadata,
    },
  ],
  [
    '/responses',
    {
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      model: 'up',
      output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }],
      usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
    },
  ],
  [
    '/converse',
    {
      output: { message: { role: 'assistant', content: [{ text: 'Well.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 2, outputTokens: 1, totalTokens: 3 },
    },
  ],
  [
    '/v2/chat',
    {
      id: 'c',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Well.' }] },
      usage: { tokens: { input_tokens: 2, output_tokens: 1 } },
    },
  ],
]
const written = answers.map(([sign, value]) => [sign, JSON.stringify(value)] as const)

function textFor(path: string, body: Buffer): string {
  const found = written.find(([sign]) => path.includes(sign))
  if (found !== undefined) return found[1]
  const asked: unknown = JSON.parse(body.toString('utf8'))
  const fields = typeof asked === 'object' && asked !== null ? asked : {}
  if (path.includes('batchEmbedContents'))
    return JSON.stringify({ embeddings: vectorsOf(fields, 'requests').map((values) => ({ values })) })
  if (path.includes('/v2/embed'))
    return JSON.stringify({ embeddings: { float: vectorsOf(fields, 'texts', 'inputs') } })
  if (path.includes('/invoke')) return JSON.stringify({ embedding: [1, 2], inputTextTokenCount: 2 })
  return answerWell(path, { ...fields, stream: false }).text
}

/** One vector for each input of the first of these lists that the body has. */
function vectorsOf(body: object, ...lists: readonly string[]): readonly (readonly number[])[] {
  const inputs: readonly unknown[] = lists.map((name) => Reflect.get(body, name)).find(Array.isArray) ?? []
  return inputs.map(() => [1, 2])
}
