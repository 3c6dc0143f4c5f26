// 100,000 good requests of every operation to channels of both formats whose answers are spoilt at random (status,
// headers, JSON, frames, bytes, the connection): no crash, no hang, no fault of our own (500), no answer that looks
// whole and is not, flat memory, and a good answer afterwards.
import { Pool } from 'undici'
import { createChance } from './create-chance.ts'
import { type GoodRequest, goodRequests } from './good-requests.ts'
import { judgeSpoilt } from './judge-spoilt.ts'
import { createMemoryLog } from './memory-log.ts'
import { leaveAsIs, openAnsweringUpstream } from './open-answering-upstream.ts'
import { openMutationGateway } from './open-mutation-gateway.ts'
import { longTestKey } from './open-subjects.ts'
import { spoilAnswer } from './spoil-answer.ts'

const REPLIES = Number(process.env['MUTATED_REPLIES'] ?? 100_000)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** With 1 an answer that was judged wrong is shown with what the upstream sent. */
const AT_ONCE = Number(process.env['AT_ONCE'] ?? 16)
const PATIENCE_MS = 10_000

const chance = createChance(SEED)
let isSpoiling = true
let lastSpoilt = ''
const upstream = await openAnsweringUpstream((good) => {
  const spoilt = isSpoiling ? spoilAnswer(good, chance) : leaveAsIs(good)
  lastSpoilt = `${spoilt.status} ${JSON.stringify(spoilt.headers)} ${spoilt.ending} ${Buffer.concat(spoilt.pieces).toString('latin1').slice(0, 1_500)}`
  return spoilt
})
const gateway = await openMutationGateway(upstream.origin)
const pool = new Pool(`http://127.0.0.1:${gateway.port}`, {
  connections: AT_ONCE,
  headersTimeout: PATIENCE_MS,
  bodyTimeout: PATIENCE_MS,
})
const memory = createMemoryLog(gateway.pid, REPLIES)
const outcomes = new Map<string, number>()
const wrong: string[] = []
try {
  let left = REPLIES
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1
        await ask(chance.pick(goodRequests))
        await memory.count()
      }
    }),
  )
  isSpoiling = false
  for (const request of goodRequests) await ask(request, 'must be well')
  const counts = [...outcomes].sort().map(([outcome, count]) => `${outcome} × ${count}`)
  process.stdout.write(
    `mutated replies: ${REPLIES} (seed ${SEED}): ${counts.join(', ')}; wrong ${wrong.length}; ${memory.describe()}\n`,
  )
  for (const example of wrong.filter((one) => !one.startsWith('404')).slice(0, 5))
    process.stdout.write(`  ${example}\n`)
  if (wrong.length > 0 || !memory.isFlat) process.exitCode = 1
} finally {
  await pool.destroy()
  await gateway.close()
  await upstream.close()
}

async function ask(request: GoodRequest, mustBeWell?: 'must be well'): Promise<void> {
  const answer = await send(request)
  const { outcome, isWrong } = judgeSpoilt(request, answer)
  const cause = AT_ONCE === 1 ? `\n    upstream: ${lastSpoilt}\n    caller got: ` : ''
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const isUnwell = mustBeWell !== undefined && outcome !== '200 whole' && outcome !== '200 stream'
  const isRefusal = mustBeWell !== undefined && outcome === '400'
  if (isWrong || (isUnwell && !isRefusal)) {
    wrong.push(
      `${outcome}: ${request.path} ${JSON.stringify(request.body).slice(0, 300)}${cause}${answer.text.slice(-600)}`,
    )
  }
}

interface CallerRequest {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** Why the answer ended early, where it did. */
  readonly cut: string | undefined
}

async function send({ path, body }: GoodRequest): Promise<CallerRequest> {
  let status = 0
  let contentType = ''
  let text = ''
  try {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${longTestKey}` },
      body: JSON.stringify(body),
    })
    status = answer.statusCode
    contentType = String(answer.headers['content-type'] ?? '')
    answer.body.setEncoding('utf8')
    for await (const piece of answer.body) text += String(piece)
    return { status, contentType, text, cut: undefined }
  } catch (error) {
    return {
      status,
      contentType,
      text,
      cut: error instanceof Error ? (Reflect.get(error, 'code') ?? error.message) : 'cut',
    }
  }
}
