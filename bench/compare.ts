// Headgate beside other gateways, in interleaved rounds of one run: CPU per request at three levels, and the
// time that each adds before the first byte or token at an upstream that takes 20 ms, as does the bare relay
// of Headgate's own parts. Results go to bench/results/peers.{md,json}.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describeRun } from './describe-run.ts'
import { levels } from './levels.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median } from './median.ts'
import { findPeers, openPeers, openRelay, type Peer, type PeerParts } from './open-peers.ts'
import { type Added, measureAdded } from './paired-latency.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 201)
const FEW_PAIRS = 41
const FRAMES = 100
/** Streams are this short where only the first token is measured. */
const FEW_FRAMES = 5
/** The compiler has optimised the hot path after this many requests, as `--trace-opt` shows. */
const WARM_UP_REQUESTS = 20_000
const UPSTREAM_DELAY_MS = 20
/**
 * A pause longer than any peer keeps an idle connection to its upstream. Where the first of these closes, compiled code
 * that took them for open for ever is thrown away, which happens once in the life of a process, and not in a
 * measurement.
 */
const CLOSING_MS = 35_000
/** A stream begins with a frame that holds no word yet. */
const FIRST_TOKEN = '"content":" '
const PATH = '/v1/chat/completions'
const METHOD =
  'Each gateway runs on one core, pinned; load and upstream share the other. All serve the same requests in turn, warm, and a round is the processor time (user and system) of the gateway over its requests. "None" is a gateway that answers anything but 200, or has no such thing. Portkey 1.15.2 with version 1.13.8 of its HTTP server: with later ones every stream is 500. LiteLLM 1.108.7, one worker, one key, no database.'
const keys = Array.from(
  { length: 100 },
  (_, index) => `bench-key-${String(index).padStart(3, '0')}-0123456789abcdef`,
)
const key = keys[0] ?? ''

const plainShapes = [1, 64, 400].flatMap((kilobytes) =>
  [false, true].map((isStream) => ({
    name: `${kilobytes} KB, ${isStream ? `stream of ${FRAMES} chunks` : 'whole'}`,
    shortName: `${kilobytes} KB, ${isStream ? 'stream' : 'whole'}`,
    isSmallest: kilobytes === 1,
    body: makeBody(kilobytes, isStream),
    isStream,
    isTranslated: false,
    requests: isStream ? 60 : kilobytes === 1 ? 1_500 : 600,
    concurrency: isStream ? 30 : 8,
  })),
)
type Shape = (typeof plainShapes)[number]

/** Callers of the chat format, a provider of the messages format. */
const translatedShape: Shape = {
  name: '1 KB, whole, translated',
  shortName: '1 KB, whole, translated',
  isSmallest: false,
  body: Buffer.from(
    makeBody(1, false)
      .toString()
      .replace('"bench"', '"bench-messages"')
      .replace('"stream"', '"max_tokens":1000,"stream"'),
  ),
  isStream: false,
  isTranslated: true,
  requests: 1_500,
  concurrency: 8,
}
const shapes: readonly Shape[] = [...plainShapes, translatedShape]

interface Cost {
  /** The processor time of a request in microseconds. */
  readonly us: number
  /** Headgate's cost as a share of it. */
  readonly headgateIs: number
}
/** A peer that fails has no cost. */
type Costs = Partial<Record<Peer['name'], Cost>>
interface CostRow {
  readonly level: string
  readonly shape: string
  readonly of: Costs
}
type AddedRow = { readonly shape: string; readonly peer: Peer['name'] } & (
  | Added
  | { readonly failure: string }
)

const folder = mkdtempSync(join(tmpdir(), 'headgate-peers-'))
const started: StartedProcess[] = []
const onStart = (one: StartedProcess) => {
  started.push(one)
}
try {
  const found = await findPeers()
  const upstream = await openMock(0, FRAMES)
  const slowUpstream = await openMock(UPSTREAM_DELAY_MS, FEW_FRAMES)
  const costs: CostRow[] = []
  const added: AddedRow[] = []
  for (const level of levels.filter(
    (one) => process.env['BENCH_LEVEL'] === undefined || process.env['BENCH_LEVEL'] === one,
  )) {
    const peers = await openPeers({ level, upstream, folder, keys, onStart }, found)
    await warmUp(peers, (shape) => !shape.isStream)
    for (const shape of shapes.filter((one) => !one.isTranslated || level === 'everything'))
      costs.push({ level, shape: shape.name, of: await measureCosts(shape, peers) })
  }
  const slowParts: PeerParts = { level: 'everything', upstream: slowUpstream, folder, keys, onStart }
  const slowPeers = [...(await openPeers(slowParts, found)), await openRelay(slowParts)]
  await warmUp(slowPeers, () => true)
  for (const shape of plainShapes) {
    for (const peer of slowPeers)
      added.push({ shape: shape.shortName, peer: peer.name, ...(await addedBy(peer, shape)) })
  }
  report({ costs, added, found })

  async function addedBy(
    peer: Peer,
    { body, isStream }: Shape,
  ): Promise<Added | { readonly failure: string }> {
    const direct = { origin: slowUpstream, headers: {} }
    const through = { origin: peer.origin, headers: { authorization: `Bearer ${key}`, ...peer.headers } }
    try {
      return await measureAdded({
        direct,
        through,
        path: PATH,
        body,
        pairs: peer.share < 1 ? FEW_PAIRS : PAIRS,
        ...(isStream ? { marker: FIRST_TOKEN } : {}),
      })
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) }
    }
  }
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function openMock(delayMs: number, frames: number): Promise<string> {
  const environment = { FRAMES: String(frames), DELAY_MS: String(delayMs) }
  const mock = await startProcess({ core: 1, args: ['bench/mock-upstream.ts'], environment })
  started.push(mock)
  return `http://127.0.0.1:${mock.firstLine}`
}

/**
 * Every shape, and the smallest most, a stream only where it is short; many at once, so that an upstream that takes its
 * time does not hold it up. Twice, with the idle connections closed between.
 */
async function warmUp(peers: readonly Peer[], isShort: (shape: Shape) => boolean): Promise<void> {
  await loadEach(peers, isShort, WARM_UP_REQUESTS)
  await setTimeout(CLOSING_MS)
  await loadEach(peers, isShort, WARM_UP_REQUESTS)
}

async function loadEach(
  peers: readonly Peer[],
  isShort: (shape: Shape) => boolean,
  maxRequests: number,
): Promise<void> {
  for (const peer of peers) {
    for (const shape of shapes) {
      const requests = shape.isSmallest && isShort(shape) ? maxRequests : shape.requests * 2
      await tryLoad(peer, { ...shape, concurrency: 64 }, requests)
    }
  }
}

/** Microseconds of processor time per request, the median of the rounds; undefined where the peer fails. */
async function measureCosts(shape: Shape, peers: readonly Peer[]): Promise<Costs> {
  const perPeer = new Map<Peer['name'], number[]>()
  const working = []
  for (const peer of peers) {
    if (await tryLoad(peer, shape, 8)) working.push(peer)
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const peer of round % 2 === 0 ? working : working.toReversed()) {
      // This one's code and memory left the processor's caches while another was measured.
      await tryLoad(peer, shape, shape.requests)
      const before = spentUs(peer)
      await tryLoad(peer, shape, shape.requests)
      const costs = perPeer.get(peer.name) ?? []
      const requests = requestsOf(peer.share, shape.requests)
      perPeer.set(peer.name, [...costs, (spentUs(peer) - before) / requests])
    }
  }
  const headgate = perPeer.get('headgate') ?? []
  const costs: Costs = {}
  for (const [name, spent] of perPeer) {
    const headgateIs = median(headgate.map((cost, round) => cost / (spent[round] ?? Number.NaN)))
    costs[name] = { us: median(spent), headgateIs }
  }
  return costs
}

function spentUs({ pids }: Peer): number {
  return pids.reduce((sum, pid) => sum + processorTimeUs(pid), 0)
}

function requestsOf(share: number, most: number): number {
  return Math.max(8, Math.round(most * share))
}

/** False where any request failed. */
async function tryLoad(
  peer: Peer,
  { body, concurrency, isTranslated }: Shape,
  most: number,
): Promise<boolean> {
  const { origin, share } = peer
  const headers = isTranslated ? peer.translating : peer.headers
  if (headers === undefined) return false
  const requests = requestsOf(share, most)
  const result = await runLoad({ origin, path: PATH, key, headers, body, concurrency, requests })
  if (result.failures > 0) process.stderr.write(`${peer.name}: ${result.failures} of ${requests} failed\n`)
  return result.failures === 0
}

interface Report {
  readonly costs: readonly CostRow[]
  readonly added: readonly AddedRow[]
  readonly found: Awaited<ReturnType<typeof findPeers>>
}

function report({ costs, added, found }: Report): void {
  const missing = [
    found.nginx ? '' : 'nginx is not installed. ',
    found.portkey === undefined ? 'Portkey could not be installed. ' : '',
    found.litellm === undefined ? 'LiteLLM could not be installed. ' : '',
  ]
  const text = [
    `${describeRun()}, ${ROUNDS} interleaved rounds, median of each round's ratio; ${PAIRS} pairs. ${missing.join('')}`,
    '',
    METHOD,
    '',
    'Processor time per request, in µs; in brackets what Headgate costs as a share of it.',
    '',
    '| level | request | Headgate | nginx | Portkey | LiteLLM |',
    '| --- | --- | --- | --- | --- | --- |',
    ...costs.map(
      (row) =>
        `| ${row.level} | ${row.shape} | ${cell(row.of.headgate, false)} | ${cell(row.of.nginx, true)} | ${cell(row.of.portkey, true)} | ${cell(row.of.litellm, true)} |`,
    ),
    '',
    `Added before the first byte of a whole answer, or the first token of a stream, at an upstream that takes ${UPSTREAM_DELAY_MS} ms, everything on, one call at a time: median of paired differences in ms (quartiles).`,
    '',
    '| request | gateway | added |',
    '| --- | --- | --- |',
    ...added.map(
      (row) =>
        `| ${row.shape} | ${row.peer} | ${'failure' in row ? `fails: ${row.failure}` : `${row.medianMs.toFixed(2)} (${row.quartilesMs.map((one) => one.toFixed(2)).join('–')})`} |`,
    ),
    '',
  ].join('\n')
  process.stdout.write(text)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/peers.md', text)
  writeFileSync(
    'bench/results/peers.json',
    `${JSON.stringify({ run: describeRun(), rounds: ROUNDS, pairs: PAIRS, costs, added }, null, 2)}\n`,
  )
}

function cell(cost: Cost | undefined, withShare: boolean): string {
  if (cost === undefined) return 'none'
  return withShare ? `${cost.us.toFixed(0)} (${cost.headgateIs.toPrecision(2)} ×)` : cost.us.toFixed(0)
}
