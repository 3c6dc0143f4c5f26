// A million bodies, each spoilt at random from a good one, for every operation of callers onto a channel of every
// format (MUTATED_BODIES, SEED): none may end the process, hang, or be answered with an error that is not the caller's.
import { Pool } from 'undici'
import { type Chance, createChance } from './create-chance.ts'
import { goodBodies } from './good-bodies.ts'
import type { GoodRequest } from './good-requests.ts'
import { createMemoryLog } from './memory-log.ts'
import { openSixChannels } from './open-six-channels.ts'
import { longTestKey } from './open-subjects.ts'
import { byteSpoilers } from './spoil-bytes.ts'
import { spoilValue } from './spoil-value.ts'

const BODIES = Number(process.env['MUTATED_BODIES'] ?? 1_000_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const AT_ONCE = 16
const PATIENCE_MS = 15_000

interface Answer {
  /** The HTTP status, or what came instead. */
  readonly status: string
  readonly text: string
}

const gateway = await openSixChannels()
const pool = new Pool(`http://127.0.0.1:${gateway.port}`, {
  connections: AT_ONCE,
  headersTimeout: PATIENCE_MS,
  bodyTimeout: PATIENCE_MS,
})
const chance = createChance(SEED)
const memory = createMemoryLog(gateway.pid, BODIES)
const statuses = new Map<string, number>()
const wrong: string[] = []
const startedAt = performance.now()
try {
  for (const good of goodBodies) judge(good, await send(good.path, Buffer.from(JSON.stringify(good.body))))
  const ofGood = describe()
  statuses.clear()
  let left = BODIES
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0 && wrong.length < 100) {
        left -= 1
        const good = chance.pick(goodBodies)
        const body = spoil(Buffer.from(JSON.stringify(good.body)))
        judge({ path: good.path, body }, await send(good.path, body))
        await memory.count()
      }
    }),
  )
  const rate = Math.round((BODIES / (performance.now() - startedAt)) * 1_000)
  process.stdout.write(
    `mutated bodies: ${BODIES} (seed ${SEED}), ${rate} a second: ${describe()}; good ones before: ${ofGood}; wrong ${wrong.length}; ${memory.describe()}\n`,
  )
  for (const example of wrong.slice(0, 8)) process.stdout.write(`  ${example}\n`)
  if (wrong.length > 0 || !memory.isFlat) process.exitCode = 1
} finally {
  await pool.destroy()
  await gateway.close()
}

/** Half of them stay JSON, so that what reads fields sees them. */
function spoil(good: Buffer): Buffer {
  let body = good
  for (let count = 1 + chance.upTo(2); count > 0; count -= 1) body = spoilOnce(body, chance)
  return body
}

function spoilOnce(body: Buffer, { next, pick }: Chance): Buffer {
  if (next() < 0.3) return pick(byteSpoilers)(body, chance)
  try {
    return Buffer.from(JSON.stringify(spoilMembers(JSON.parse(body.toString('utf8')))))
  } catch {
    // What bytes were spoilt of is no JSON any more.
    return body
  }
}

/** The model mostly stays, since nothing of a body is read without it. */
function spoilMembers(value: unknown): unknown {
  const model = typeof value === 'object' && value !== null && 'model' in value ? value.model : undefined
  const spoilt = spoilValue(value, chance, 0.04)
  const isObject = typeof spoilt === 'object' && spoilt !== null && !Array.isArray(spoilt)
  return model !== undefined && isObject && chance.next() < 0.95 ? { ...spoilt, model } : spoilt
}

function judge(
  { path, body }: { readonly path: string; readonly body: Buffer | GoodRequest['body'] },
  answer: Answer,
): void {
  const { status, text } = answer
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (/^[1-4]\d\d$/.test(status)) return
  const said = Buffer.isBuffer(body) ? body.toString('latin1') : JSON.stringify(body)
  wrong.push(`${status} ${path} ${text.slice(0, 300)} ${JSON.stringify(said.slice(0, 2_000))}`)
}

function describe(): string {
  return [...statuses]
    .sort()
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ')
}

function send(path: string, body: Buffer): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${longTestKey}` }
  return new Promise((resolve) => {
    let status = 0
    const parts: Buffer[] = []
    pool.dispatch(
      { method: 'POST', path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, code) {
          status = code
        },
        onResponseData: (_controller, chunk) => void parts.push(chunk),
        onResponseEnd: () => resolve({ status: String(status), text: Buffer.concat(parts).toString('utf8') }),
        onResponseError: (_controller, error) =>
          resolve({ status: `${status} ${error.name}`, text: error.message }),
      },
    )
  })
}
