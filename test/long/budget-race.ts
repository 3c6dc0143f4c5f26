// A thousand requests at once against five budgets of their round, and that of the installation. (a) Equal requests
// whose cost is their hold: exactly as many are served as fit. (b) Streams, failovers, callers that leave and answers
// that are cut: the budgets are never overshot, nothing stays held, and the ledger adds up. (c) Coding agents, which ask
// for far more output than they get: their caps are lowered, and none is refused while a small answer still fits. In all
// of them the meter's decisions, in their order, are added up once more by other code: what is held fits, what is
// refused does not. WORKERS=2 serves (a) and (b) by processes that lease the budgets, and NODES=4 by as many nodes on one
// real PostgreSQL; their decisions are not watched, and what is left in leases after the race is asked for until nothing
// is. One gateway serves ROUNDS_A_GATEWAY rounds, each with a key, a group, a model and a tag of its own. A round that
// does not end within ROUND_SECONDS is a failure. ROUNDS, MIXED, REQUESTS and SEED by the environment.

import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { startPostgres } from '../support/postgres.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { findWrongBooks } from './budget-race/find-wrong-books.ts'
import { openRacedGateway, type RacedGateway } from './budget-race/open-raced-gateway.ts'
import { raceAgents } from './budget-race/race-agents.ts'
import { planRound, type RaceRound, writeRoundsYaml } from './budget-race/race-round.ts'
import { watchDecisions } from './budget-race/watch-decisions.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 200)
const MIXED = Number(process.env['MIXED'] ?? ROUNDS)
const REQUESTS = Number(process.env['REQUESTS'] ?? 1_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const WORKERS = Number(process.env['WORKERS'] ?? 0)
const NODES = Number(process.env['NODES'] ?? 0)
const ROUND_MS = Number(process.env['ROUND_SECONDS'] ?? 180) * 1_000
const SAY_EVERY_MS = 30_000
/** Processes that decide for themselves, by what they have leased. */
const DECIDERS = Math.max(WORKERS, NODES)
/** Decisions that are watched are those of one gateway; processes take longer to start than to race. */
const ROUNDS_A_GATEWAY = DECIDERS === 0 ? 1 : Number(process.env['ROUNDS_A_GATEWAY'] ?? 100)
const NAMES = [NODES > 0 ? `, ${NODES} nodes` : '', WORKERS > 0 ? `, ${WORKERS} workers` : ''].join('')
const random = createSeededRandom(SEED)
/** Tokens of output, of which each costs 2,000 nano-dollars. */
const CAP = 20
const HOLD = CAP * 2_000
/** Limits differ by so many of the dearest requests. */
const FITS_SPREAD = 400

const usage = { prompt_tokens: 0, completion_tokens: CAP, total_tokens: CAP }
const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const message = { role: 'assistant', content: 'Hi.' }
const whole = jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })

/** A status, that it is 503 for want of the store, or undefined where the caller left or the answer was cut. */
type Asked = number | 'store away' | undefined
const failures: string[] = []
let saidFailures = 0
let served = 0
let refused = 0
let left = 0
/** Requests that were refused since the store of the leases took longer than 2 s, as on a machine that is too busy. */
let away = 0
await using cleanup = new AsyncDisposableStack()
process.once('SIGTERM', giveUp)
const server = NODES === 0 ? undefined : cleanup.use(await startPostgres())
await inRounds({
  name: 'equal requests',
  rounds: ROUNDS,
  minFits: 1,
  answers: [() => whole],
  race: raceEqual,
})
await inRounds({
  name: 'mixed requests',
  rounds: MIXED,
  minFits: 20,
  answers: [anyAnswer, anyAnswer],
  race: raceMixed,
})
if (DECIDERS === 0) failures.push(...(await raceAgents()))
await cleanup.disposeAsync()
sayFailures()
if (failures.length > 0) process.exitCode = 1

interface Race {
  readonly name: string
  readonly rounds: number
  /** The least number of the dearest requests that fit into a budget. */
  readonly minFits: number
  /** One for each channel. */
  readonly answers: readonly (() => ScriptedAnswer)[]
  readonly race: (gateway: RacedGateway, round: RaceRound) => Promise<void>
}

async function inRounds({ name, rounds, minFits, answers, race }: Race): Promise<void> {
  const totals = { held: 0, refused: 0 }
  let [slowestMs, saidAtMs] = [0, performance.now()]
  const startedAtMs = saidAtMs
  for (let done = 0; done < rounds; ) {
    const planned = planRounds(done, Math.min(ROUNDS_A_GATEWAY, rounds - done), minFits)
    await using upstreams = new AsyncDisposableStack()
    const opened = answers.map(async (answer) => upstreams.use(await openScriptedUpstream(answer)))
    using decisions = watchDecisions()
    decisions.limit = BigInt(planned[0]?.limit ?? 0)
    const yaml = writeRoundsYaml(planned, await Promise.all(opened))
    await using gateway = await openRacedGateway(yaml, { workers: WORKERS, nodes: NODES, server })
    for (const round of planned) {
      const beganAtMs = performance.now()
      using _limit = limitRound(`${name}, ${round.name}`)
      await race(gateway, round)
      slowestMs = Math.max(slowestMs, performance.now() - beganAtMs)
      sayFailures()
      done += 1
      if (performance.now() - saidAtMs < SAY_EVERY_MS) continue
      saidAtMs = performance.now()
      process.stdout.write(`${name}: ${done} of ${rounds} rounds, wrong ${failures.length}\n`)
    }
    await gateway.end()
    failures.push(...findWrongBooks(planned, await gateway.readBooks()).map((wrong) => `${name}, ${wrong}`))
    failures.push(...decisions.wrong.map((wrong) => `${name}, round ${done}: ${wrong}`))
    if (decisions.stillHeld > 0n) failures.push(`${name}, round ${done}: ${decisions.stillHeld} stay held`)
    totals.held += decisions.held
    totals.refused += decisions.refused
    sayFailures()
  }
  const meanMs = (performance.now() - startedAtMs) / Math.max(1, rounds)
  process.stdout.write(
    `budget race (seed ${SEED}${NAMES}), ${name}: ${rounds} rounds of ${REQUESTS} requests, ${(meanMs / 1_000).toFixed(1)} s each, the slowest ${(slowestMs / 1_000).toFixed(1)} s; six budgets on each; served ${served}, refused ${refused}, refused for want of the store ${away}, left or cut ${left}; decisions ${totals.held} held, ${totals.refused} refused; wrong ${failures.length}\n`,
  )
  served = refused = left = away = 0
}

function planRounds(done: number, count: number, minFits: number): readonly RaceRound[] {
  return Array.from({ length: count }, (_, index) => {
    const fits = minFits + Math.floor(random.fraction() * FITS_SPREAD)
    return planRound(done + index + 1, fits, fits * HOLD)
  })
}

/** Failures are said as they come, the first twenty. */
function sayFailures(): void {
  for (const failure of failures.slice(saidFailures, 20)) process.stdout.write(`  ${failure}\n`)
  saidFailures = failures.length
}

/** A round that hangs has its verdict, too. */
function limitRound(name: string): Disposable {
  const limit = setTimeout(() => {
    process.stdout.write(`  ${name} has not ended within ${ROUND_MS / 1_000} s\n`)
    giveUp()
  }, ROUND_MS)
  return { [Symbol.dispose]: () => clearTimeout(limit) }
}

/** Leaves no process behind. */
function giveUp(): void {
  void server?.stop('killed')
  process.exit(1)
}

async function raceEqual(gateway: RacedGateway, round: RaceRound): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, index) => ask(gateway, round, index, {})),
  )
  const late = DECIDERS === 0 ? 0 : await askForRest(gateway, round)
  const ok = answers.filter((status) => status === 200).length + late
  const no = answers.filter((status) => status === 429).length
  served += ok
  refused += no
  if (ok !== round.fits) failures.push(`${round.name}: ${ok} served where ${round.fits} fit`)
  countAway(answers, round.name)
  const others = answers.filter((status) => status !== 200 && status !== 429 && status !== 'store away')
  if (others.length > 0)
    failures.push(`${round.name}: ${others.length} answered otherwise: ${counts(others)}`)
}

/** In one process there are no leases, so that none may be missing. */
function countAway(answers: readonly Asked[], name: string): void {
  const unserved = answers.filter((status) => status === 'store away').length
  away += unserved
  if (DECIDERS === 0 && unserved > 0) failures.push(`${name}: ${unserved} found no store`)
}

/** A request that its process had no lease for in time is refused, though others have some left. */
async function askForRest(gateway: RacedGateway, round: RaceRound): Promise<number> {
  let ok = 0
  let next = 0
  for (let refusedInRow = 0; refusedInRow < 3 * DECIDERS; next += 1) {
    const status = await ask(gateway, round, next, {})
    refusedInRow = status === 429 ? refusedInRow + 1 : 0
    if (status === 200) ok += 1
  }
  return ok
}

async function raceMixed(gateway: RacedGateway, round: RaceRound): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, index) => {
      const leaves = random.fraction() < 0.1
      const signal = leaves ? AbortSignal.timeout(5) : undefined
      return ask(gateway, round, index, { stream: index % 2 === 0 }, signal)
    }),
  )
  served += answers.filter((status) => status === 200).length
  refused += answers.filter((status) => status === 429).length
  left += answers.filter((status) => status === undefined).length
  countAway(answers, round.name)
}

function anyAnswer(): ScriptedAnswer {
  const chance = random.fraction()
  if (chance < 0.15) return jsonAnswer({ error: { message: 'broken', type: 'server_error' } }, 500)
  if (chance < 0.25) return { ending: 'reset' }
  const tokens = 1 + Math.floor(random.fraction() * CAP)
  const used = { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens }
  if (chance < 0.6)
    return jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage: used })
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { content: 'Hi' } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...head, choices: [], usage: used },
  ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  return chance < 0.8 ? sseAnswer([...chunks, 'data: [DONE]\n\n']) : sseAnswer(chunks.slice(0, 1), 'reset')
}

function counts(statuses: readonly Asked[]): string {
  const named = statuses.map((status) => (status === undefined ? 'cut' : `${status}`))
  return [...new Set(named)].map((name) => `${name} × ${named.filter((n) => n === name).length}`).join(', ')
}

async function ask(
  { urls }: RacedGateway,
  { secret, model }: RaceRound,
  index: number,
  more: object,
  signal?: AbortSignal,
): Promise<Asked> {
  try {
    const response = await fetch(`${urls[Math.floor(index / 2) % urls.length]}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        max_tokens: CAP,
        messages: [{ role: 'user', content: 'Hi' }],
        ...more,
      }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    return text.includes('"ledger_unavailable"') ? 'store away' : response.status
  } catch {
    return undefined
  }
}
