import { expect, it } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { noUsage } from '../../canonical/usage.ts'
import { inOneStep, type Steps } from '../../kit/async/steps.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import type { WholeReply } from '../lane/lane.ts'
import { createWholeLane } from '../lane/whole-lane.ts'
import { createCallerConnection } from '../response/caller-connection.ts'
import { createDeadlineWatch } from '../response/deadline-watch.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { runSplitAttempt } from './run-split-attempt.ts'

const CALL_MS = 40
const joinedUsage = { ...noUsage, freshInputTokens: 15 }

/** Answers every call at once, though it takes its time. */
function slowUpstream(clock: FakeClock, calls: string[]): Upstream {
  return {
    call({ pathAndQuery: path }, listener) {
      calls.push(path)
      queueMicrotask(() => {
        clock.advance(CALL_MS)
        listener.onHead(200, { 'content-type': 'application/json' })
        listener.onData(Buffer.from('{}'))
        listener.onEnd()
      })
      return { pause: () => undefined, resume: () => undefined, abort: () => undefined }
    },
    close: () => Promise.resolve(),
  }
}

const ignore = () => undefined
const sink = {
  start: ignore,
  write: () => true,
  end: ignore,
  cut: ignore,
  onDrain: ignore,
  onGone: ignore,
  onStop: ignore,
}

/** Three calls of 40 ms each. With `leavesAtEnd` the caller disconnects while their answers are joined. */
async function run(deadlineAtMs: number, leavesAtEnd = false) {
  const callerConnection = createCallerConnection(sink, throwFault)
  const clock = createFakeClock()
  const calls: string[] = []
  const sent: string[] = []
  const lanes = ['/1', '/2', '/3'].map((path) =>
    createWholeLane(
      {
        kind: 'verbatim',
        path,
        headers: {},
        body: emptyBody,
        losses: [],
        readError: () => {
          throw new Error('no error')
        },
      },
      () => once({ body: '', usage: { ...noUsage, freshInputTokens: 5, outputTokens: 2 }, losses: [] }),
    ),
  )
  const writer: ResponseWriter = {
    prepareHead: () => undefined,
    hasStarted: false,
    hasContent: false,
    statusSent: undefined,
    bytesSent: 0,
    writeStream: () => true,
    endStream: ignore,
    sendWhole: ({ body }) => sent.push(String(body)),
    fail: ignore,
    close: ignore,
  }
  const outcome = await runSplitAttempt({
    split: {
      lanes,
      losses: [],
      join: () =>
        inOneStep(() => {
          if (leavesAtEnd) callerConnection.abandon()
          return { body: 'joined', usage: joinedUsage, losses: [] }
        }),
    },
    writer,
    answerBudget: new AnswerBudget({ heldAnswerBytes: 1_000_000 }),
    answerTurns: new AnswerTurns(clock),
    deadlineAtMs,
    buildRequest: ({ path }) => ({
      method: 'POST',
      origin: 'http://upstream.invalid',
      pathAndQuery: path,
      headers: {},
      body: emptyBody,
      connectTimeoutMs: 1_000,
      allowPrivate: false,
    }),
    timeouts: {
      connectMs: 1_000,
      tlsMs: 1_000,
      headersMs: 1_000,
      wholeHeadersMs: 1_000,
      firstContentMs: 1_000,
      idleMs: 1_000,
      progressMs: 1_000,
      totalMs: 1_000,
    },
    answerHeaders: {},
    durability: { type: 'none' },
    upstream: slowUpstream(clock, calls),
    redactor: createRedactor(),
    clock,
    callerConnection,
    watch: createDeadlineWatch(clock, throwFault),
  })
  return { outcome, calls, sent }
}

it('makes one call after the other and sends the joined answer once', async () => {
  const { outcome, calls, sent } = await run(1_000)
  expect(calls).toEqual(['/1', '/2', '/3'])
  expect(sent).toEqual(['joined'])
  expect(outcome).toMatchObject({ type: 'answered', totalMs: 3 * CALL_MS })
})

it('sends nothing to a caller that disconnects while the answers are joined, and reports what they used', async () => {
  const { outcome, sent } = await run(1_000, true)
  expect(sent).toEqual([])
  expect(outcome).toMatchObject({ type: 'caller-gone', reached: { at: 'head' }, usage: joinedUsage })
})

it('begins no further call after the deadline of the request', async () => {
  const { outcome, calls, sent } = await run(2 * CALL_MS)
  expect(calls).toEqual(['/1', '/2'])
  expect(sent).toEqual([])
  expect(outcome).toMatchObject({
    type: 'failed',
    failure: { code: 'upstream_timeout' },
    totalMs: 2 * CALL_MS,
  })
})

it('reports the usage of the answered calls when a later call fails', async () => {
  const { outcome } = await run(2 * CALL_MS)
  expect(outcome.usage).toEqual({ ...noUsage, freshInputTokens: 10, outputTokens: 4, isEstimated: true })
})

function once(reply: WholeReply): Steps<WholeReply> {
  return inOneStep(() => reply)
}
