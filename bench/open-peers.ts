import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { writeHeadgateConfiguration } from './headgate-configuration.ts'
import { installLitellm } from './install-litellm.ts'
import { installPortkey } from './install-portkey.ts'
import type { Level } from './levels.ts'
import { writeLitellmConfiguration } from './litellm-configuration.ts'
import { writeNginxConfiguration } from './nginx-configuration.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

export interface Peer {
  readonly name: 'nginx' | 'headgate' | 'portkey' | 'litellm' | 'bare relay'
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** The headers of a request that is translated; undefined where the peer translates nothing. */
  readonly translating: Readonly<Record<string, string>> | undefined
  /** The part of the requests of a round that it is sent, so that a slow one does not take hours. */
  readonly share: number
  /** The IDs of all processes that serve. */
  readonly pids: readonly number[]
}

export interface PeerParts {
  readonly level: Level
  /** The origin, such as `http://127.0.0.1:4321`. */
  readonly upstream: string
  readonly folder: string
  readonly keys: readonly string[]
  /** Called with everything started. */
  readonly onStart: (started: StartedProcess) => void
}

/** Finds the peers that this machine can run, and why it cannot run the others. */
export async function findPeers(): Promise<{
  readonly nginx: boolean
  readonly portkey: string | undefined
  readonly litellm: string | undefined
}> {
  const nginx = spawnSync('nginx', ['-v']).status === 0
  return { nginx, portkey: await installPortkey(), litellm: installLitellm() }
}

/** Starts the peers of one level, each on the same core; they are measured in turn. */
export async function openPeers(
  { folder, ...rest }: PeerParts,
  found: Awaited<ReturnType<typeof findPeers>>,
): Promise<readonly Peer[]> {
  const parts = { ...rest, folder: mkdtempSync(join(folder, 'peers-')) }
  const peers = [await openHeadgate(parts)]
  if (found.nginx) peers.push(await openNginx(parts))
  if (found.portkey !== undefined) peers.push(await openPortkey(parts, found.portkey))
  // It has one level only.
  if (found.litellm !== undefined && rest.level === 'everything')
    peers.push(await openLitellm(parts, found.litellm))
  return peers
}

/** Opens a relay of the parts that Headgate stands on, with nothing in between. */
export async function openRelay({ upstream, onStart }: PeerParts): Promise<Peer> {
  const started = await startProcess({ core: 0, args: ['bench/bare-relay.ts', upstream] })
  onStart(started)
  return {
    name: 'bare relay',
    origin: `http://127.0.0.1:${started.firstLine}`,
    headers: {},
    translating: undefined,
    share: 1,
    pids: [started.pid],
  }
}

async function openHeadgate(parts: PeerParts): Promise<Peer> {
  const file = join(parts.folder, 'headgate.yaml')
  writeFileSync(file, writeHeadgateConfiguration(parts))
  // The options are those of `npm start`.
  const started = await startProcess({
    core: 0,
    args: [...nodeOptions, 'bench/headgate.ts', file],
  })
  parts.onStart(started)
  return {
    name: 'headgate',
    origin: `http://127.0.0.1:${started.firstLine}`,
    headers: {},
    translating: {},
    share: 1,
    pids: [started.pid],
  }
}

async function openNginx(parts: PeerParts): Promise<Peer> {
  const folder = join(parts.folder, 'nginx')
  mkdirSync(folder, { recursive: true })
  const port = await findFreePort()
  const file = join(folder, 'nginx.conf')
  const upstream = new URL(parts.upstream).host
  writeFileSync(file, writeNginxConfiguration({ ...parts, folder, port, upstream }))
  // nginx says nothing when it is ready; the shell says so for it and then becomes it.
  const script = 'echo started; exec nginx -c "$0"'
  const started = await startProcess({ core: 0, program: 'sh', args: ['-c', script, file] })
  parts.onStart(started)
  const origin = `http://127.0.0.1:${port}`
  await untilOpen(origin)
  return {
    name: 'nginx',
    origin,
    headers: {},
    translating: undefined,
    share: 1,
    pids: [started.pid, ...childrenOf(started.pid)],
  }
}

/** It has no keys of its own to check; from `auth and routing` on it chooses between two weighted targets. */
async function openPortkey(parts: PeerParts, program: string): Promise<Peer> {
  const port = await findFreePort()
  const script = `process.argv.push("--headless","--port=${port}"); console.log("starting"); await import(${JSON.stringify(program)})`
  const started = await startProcess({ core: 0, args: ['--input-type=module', '--eval', script] })
  parts.onStart(started)
  const origin = `http://127.0.0.1:${port}`
  await untilOpen(origin)
  const target = {
    provider: 'openai',
    custom_host: `${parts.upstream}/v1`,
    api_key: 'upstream-key-0123456789',
  }
  const config = {
    strategy: { mode: 'loadbalance' },
    targets: [
      { ...target, weight: 0.75 },
      { ...target, weight: 0.25 },
    ],
  }
  const headers: Record<string, string> =
    parts.level === 'no auth'
      ? { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${parts.upstream}/v1` }
      : { 'x-portkey-config': JSON.stringify(config) }
  const translating = { 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': `${parts.upstream}/v1` }
  return { name: 'portkey', origin, headers, translating, share: 1, pids: [started.pid] }
}

/** One worker, as it starts without a database. */
async function openLitellm(parts: PeerParts, program: string): Promise<Peer> {
  const port = await findFreePort()
  const file = join(parts.folder, 'litellm.yaml')
  const key = 'sk-bench-0123456789abcdef'
  writeFileSync(file, writeLitellmConfiguration({ upstream: parts.upstream, key }))
  // The shell says the first line and then becomes it.
  const script = 'echo started; exec "$0" --config "$1" --host 127.0.0.1 --port "$2" --num_workers 1'
  const started = await startProcess({
    core: 0,
    program: 'sh',
    args: ['-c', script, program, file, String(port)],
    environment: { LITELLM_LOG: 'ERROR' },
  })
  parts.onStart(started)
  const origin = `http://127.0.0.1:${port}`
  await untilOpen(origin)
  const headers = { authorization: `Bearer ${key}` }
  const pids = [started.pid, ...childrenOf(started.pid)]
  return { name: 'litellm', origin, headers, translating: headers, share: 0.02, pids }
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text
    .split(' ')
    .filter((child) => child.trim() !== '')
    .map(Number)
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

/** LiteLLM takes ten seconds and more to start. */
const PATIENCE_MS = 120_000

async function untilOpen(origin: string): Promise<void> {
  const startedAt = Date.now()
  for (;;) {
    const answer = await fetch(origin).catch(() => undefined)
    if (answer !== undefined) return
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`nothing opened at ${origin}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}
