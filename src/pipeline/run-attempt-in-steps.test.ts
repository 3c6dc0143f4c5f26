import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { throwFault } from '../../test/support/throw-fault.ts'
import { inOneStep, type Steps } from '../kit/async/steps.ts'
import { createRedactor } from '../telemetry/redact.ts'
import type { UpstreamListener } from '../upstream/upstream.ts'
import { emptyBody } from '../upstream/upstream-body.ts'
import { runAttempt } from './attempt/run-attempt.ts'
import { LARGE_ANSWER_BYTES } from './attempt/whole-answer-reader.ts'
import { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import type { WholeReply } from './lane/lane.ts'
import { createWholeLane } from './lane/whole-lane.ts'
import { createCallerConnection } from './response/caller-connection.ts'
import { createDeadlineWatch } from './response/deadline-watch.ts'

const ignore = () => undefined
const reply: WholeReply = { body: 'read', usage: undefined, losses: [] }
const large = Buffer.alloc(LARGE_ANSWER_BYTES, 'a')

/** An attempt whose upstream answers at once, read by these steps where it is large. */
function runSteps(answer: Buffer, wholeSteps: () => Steps<WholeReply>) {
  const clock = createFakeClock()
  const sent: string[] = []
  let leave: () => void = ignore
  const budget = new AnswerBudget({ heldAnswerBytes: 1_000_000 })
  const call = { path: '/', headers: {}, body: emptyBody, losses: [] }
  const parts = { ...call, kind: 'verbatim', readError: throwNow } as const
  const lane = createWholeLane(parts, (body) =>
    body.length < LARGE_ANSWER_BYTES ? once(reply) : wholeSteps(),
  )
  const ms = 60_000
  const answerTo = (listener: UpstreamListener) => {
    listener.onHead(200, { 'content-type': 'application/json' })
    listener.onData(answer)
    listener.onEnd()
    return { pause: ignore, resume: ignore, abort: ignore }
  }
  const outcome = runAttempt({
    lane,
    request: {
      method: 'POST',
      origin: 'http://upstream.invalid',
      pathAndQuery: '/',
      headers: {},
      body: emptyBody,
      connectTimeoutMs: ms,
      allowPrivate: false,
    },
    timeouts: {
      connectMs: ms,
      tlsMs: ms,
      headersMs: undefined,
      wholeHeadersMs: ms,
      firstContentMs: undefined,
      idleMs: ms,
      progressMs: ms,
      totalMs: ms,
    },
    isStream: false,
    answerHeaders: {},
    durability: { type: 'none' },
    upstream: { call: (_, listener) => answerTo(listener), close: () => Promise.resolve() },
    redactor: createRedactor(),
    answerBudget: budget,
    answerTurns: new AnswerTurns(clock),
    writer: {
      prepareHead: ignore,
      writeStream: () => true,
      endStream: ignore,
      sendWhole: ({ body }) => {
        sent.push(body.toString())
      },
    },
    clock,
    callerConnection: createCallerConnection(
      {
        start: ignore,
        write: () => true,
        end: ignore,
        cut: ignore,
        onDrain: ignore,
        onStop: ignore,
        onGone: (fire) => {
          leave = fire
        },
      },
      throwFault,
    ),
    watch: createDeadlineWatch(clock, throwFault),
    deadlineAtMs: ms,
  })
  return { outcome, clock, sent, leave: () => leave() }
}

function once(reply: WholeReply): Steps<WholeReply> {
  return inOneStep(() => reply)
}

function throwNow(): never {
  throw new Error('broken')
}

/** Three turns, and the number of those that were ran. */
function countSteps() {
  const ran: number[] = []
  function* steps(): Steps<WholeReply> {
    ran.push(1)
    yield
    ran.push(2)
    yield
    ran.push(3)
    return reply
  }
  return { ran, steps }
}

it('delivers a large whole answer after as many turns as its reading has steps', async () => {
  const { ran, steps } = countSteps()
  const { outcome, clock, sent } = runSteps(large, steps)
  const seen: number[] = []
  const plain = clock.startTimer.bind(clock)
  clock.startTimer = (delayMs, fire) =>
    plain(delayMs, () => {
      const before = ran.length
      fire()
      if (ran.length > before) seen.push(ran.length - before)
    })
  expect({ ran, sent }).toEqual({ ran: [], sent: [] })
  clock.advance(0)
  expect(seen).toEqual([1, 1])
  expect(sent).toEqual(['read'])
  expect(await outcome).toMatchObject({ type: 'answered' })
})

it('delivers a smaller one in the turn in which it ends', async () => {
  const { ran, steps } = countSteps()
  const { outcome, sent } = runSteps(large.subarray(1), steps)
  expect({ ran, sent }).toEqual({ ran: [], sent: ['read'] })
  expect(await outcome).toMatchObject({ type: 'answered' })
})

it('runs no further step once the caller has left', async () => {
  const ran: number[] = []
  const attempt = runSteps(large, function* (): Steps<WholeReply> {
    ran.push(1)
    attempt.leave()
    yield
    ran.push(2)
    return reply
  })
  attempt.clock.advance(10)
  expect(await attempt.outcome).toMatchObject({ type: 'caller-gone' })
  expect({ ran, sent: attempt.sent }).toEqual({ ran: [1], sent: [] })
})

it('ends as an unreadable answer when a later step throws, and reports where it threw', async () => {
  const { outcome, clock, sent } = runSteps(large, function* () {
    yield
    return throwNow()
  })
  clock.advance(10)
  const ended = await outcome
  expect(ended).toMatchObject({
    type: 'failed',
    failure: { code: 'upstream_bad_response' },
    cause: expect.stringMatching(/broken[\s\S]*throwNow/),
  })
  expect(sent).toEqual([])
})
