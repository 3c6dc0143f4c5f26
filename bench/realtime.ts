// Processor time of a frame of a realtime session, and processor time and memory of a session that says nothing, as
// ratios to a bare relay of the same library, in interleaved rounds of one run: node bench/realtime.ts
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { median } from './median.ts'
import { processorTimeUs, residentBytes } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15)
const RESPONSES = Number(process.env['BENCH_RESPONSES'] ?? 20)
const SOCKETS = Number(process.env['BENCH_SOCKETS'] ?? 2_000)
const REST_S = Number(process.env['BENCH_REST_S'] ?? 95)
/** A response of some twenty seconds, in the frames that OpenAI sends: 4 KB of sound in base64. */
const DELTAS = 100
const SPOKEN_FRAMES = 100
const SOUND = 'A'.repeat(4_096)
const LIMIT = 2
const KEY = 'bench-key-0123456789abcdef'

const usage = { input_tokens: 200, output_tokens: 100, total_tokens: 300 }
const delta = JSON.stringify({
  type: 'response.output_audio.delta',
  event_id: 'event_1',
  response_id: 'resp_1',
  item_id: 'item_1',
  output_index: 0,
  content_index: 0,
  delta: SOUND,
})
const response = (status: string) => ({
  object: 'realtime.response',
  id: 'resp_1',
  status,
  output: [],
  usage,
})
const begun = JSON.stringify({ type: 'response.created', event_id: 'e', response: response('in_progress') })
const done = JSON.stringify({ type: 'response.done', event_id: 'e', response: response('completed') })
const session = { type: 'realtime', object: 'realtime.session', id: 'sess_bench', model: 'voice', audio: {} }

const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const upstream = createServer()
upstream.on('upgrade', (request, socket, head) => {
  webSockets.handleUpgrade(request, socket, head, (provider) => {
    provider.send(JSON.stringify({ type: 'session.created', event_id: 'e', session }))
    provider.on('message', (data) => {
      if (!String(data).startsWith('{"type":"response.create"')) return
      provider.send(begun)
      for (let sent = 0; sent < DELTAS; sent += 1) provider.send(delta)
      provider.send(done)
    })
  })
})
await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const file = join(folder, 'headgate.yaml')
writeFileSync(
  file,
  [
    'listen: 127.0.0.1:0',
    `data: ${join(folder, 'data')}`,
    'log: { level: silent }',
    `websocket: { per_key: ${SOCKETS + 2} }`,
    `keys: [{ name: bench, secret: ${KEY}, models: ["*"] }]`,
    `channels: [{ name: c, provider: openai-compatible, base_url: "${origin}/v1", api_key: sk-upstream-0123456789, allow_private: true, models: [voice] }]`,
  ].join('\n'),
)

const program = (name: string) => join(import.meta.dirname, name)
const started: StartedProcess[] = []

async function start(args: readonly string[]): Promise<StartedProcess> {
  const one = await startProcess({ core: 0, args: [...nodeOptions, '--expose-gc', ...args] })
  started.push(one)
  return one
}

const startRelay = () => start([program('bare-socket-relay.ts'), origin])
const startHeadgate = () => start([program('headgate.ts'), file])

async function connect({ firstLine }: StartedProcess): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${firstLine.trim()}/v1/realtime?model=voice`, {
    headers: { authorization: `Bearer ${KEY}` },
    perMessageDeflate: false,
  })
  await once(socket, 'message')
  return socket
}

const spoken = JSON.stringify({ type: 'input_audio_buffer.append', audio: SOUND })

/** Says something and hears the answer; gives the number of frames. */
async function talk(socket: WebSocket): Promise<number> {
  const over = new Promise<void>((resolve) => {
    const hear = (data: unknown) => {
      if (!String(data).startsWith('{"type":"response.done"')) return
      socket.off('message', hear)
      resolve()
    }
    socket.on('message', hear)
  })
  for (let sent = 0; sent < SPOKEN_FRAMES; sent += 1) socket.send(spoken)
  socket.send('{"type":"response.create"}')
  await over
  return SPOKEN_FRAMES + DELTAS + 3
}

async function costOfFrame(subject: StartedProcess, socket: WebSocket): Promise<number> {
  const before = processorTimeUs(subject.pid)
  let frames = 0
  for (let asked = 0; asked < RESPONSES; asked += 1) frames += await talk(socket)
  return (processorTimeUs(subject.pid) - before) / frames
}

async function measureFrames(): Promise<string> {
  const subjects = [await startRelay(), await startHeadgate()] as const
  const sockets = [await connect(subjects[0]), await connect(subjects[1])] as const
  const cost = async () => ({
    floor: await costOfFrame(subjects[0], sockets[0]),
    own: await costOfFrame(subjects[1], sockets[1]),
  })
  for (let round = 0; round < 3; round += 1) await cost()
  const rounds: { readonly floor: number; readonly own: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await cost())
  for (const socket of sockets) socket.terminate()
  await Promise.all(subjects.map((subject) => subject.stop()))
  return lineOf('a frame, µs CPU', rounds)
}

/**
 * Resident memory and processor time of sessions that say nothing, through rounds of pings. The first half of them
 * fills the memory that the process has anyway; what the process does without sessions is taken off.
 */
async function restOf(subject: StartedProcess): Promise<{ readonly bytes: number; readonly cpuUs: number }> {
  const sockets: WebSocket[] = [await connect(subject)]
  await settledBytes(subject)
  const aloneUs = await cpuOfRest(subject)
  while (sockets.length < SOCKETS / 2) sockets.push(await connect(subject))
  const before = await settledBytes(subject)
  while (sockets.length < SOCKETS) sockets.push(await connect(subject))
  const bytes = ((await settledBytes(subject)) - before) / (SOCKETS / 2)
  const cpuUs = ((await cpuOfRest(subject)) - aloneUs) / (SOCKETS - 1)
  for (const socket of sockets) socket.terminate()
  await subject.stop()
  return { bytes, cpuUs }
}

/** Microseconds a minute. */
async function cpuOfRest({ pid }: StartedProcess): Promise<number> {
  const before = processorTimeUs(pid)
  await setTimeout(REST_S * 1_000)
  return (processorTimeUs(pid) - before) / (REST_S / 60)
}

async function settledBytes({ pid }: StartedProcess): Promise<number> {
  for (let times = 0; times < 6; times += 1) {
    process.kill(pid, 'SIGUSR2')
    await setTimeout(500)
  }
  return residentBytes(pid)
}

async function measureRest(): Promise<readonly string[]> {
  if (SOCKETS === 0) return []
  const floor = await restOf(await startRelay())
  const own = await restOf(await startHeadgate())
  return [
    lineOf(`an idle session of ${SOCKETS}, KB`, [{ floor: floor.bytes / 1_024, own: own.bytes / 1_024 }]),
    lineOf('an idle session, µs CPU a minute', [{ floor: floor.cpuUs, own: own.cpuUs }]),
  ]
}

function lineOf(name: string, rounds: readonly { readonly floor: number; readonly own: number }[]): string {
  const ratio = median(rounds.map(({ own, floor }) => own / floor))
  if (ratio > LIMIT) process.exitCode = 1
  const [floor, own] = [median(rounds.map((round) => round.floor)), median(rounds.map((round) => round.own))]
  return `| ${name} | ${floor.toFixed(1)} | ${own.toFixed(1)} | ${ratio.toFixed(2)} | ${LIMIT} |`
}

try {
  const lines = [await measureFrames(), ...(await measureRest())]
  const head = '| what | bare relay | Headgate | ratio | limit |\n| --- | --- | --- | --- | --- |'
  process.stdout.write(`${describeRun()}, ${ROUNDS} interleaved rounds.\n\n${head}\n${lines.join('\n')}\n`)
} finally {
  await Promise.all(started.map((one) => one.stop()))
  webSockets.close()
  upstream.closeAllConnections()
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
}
