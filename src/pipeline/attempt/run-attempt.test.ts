import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import { createWholeLane } from '../lane/whole-lane.ts'
import { createCallerConnection } from '../response/caller-connection.ts'
import { createDeadlineWatch, TICK_MS } from '../response/deadline-watch.ts'
import { MIN_FIRST_CONTENT_MS } from './plan-timeouts.ts'
import { runAttempt } from './run-attempt.ts'

const ignore = () => undefined

it('an attempt ends alone, together with its call, when the check of its deadlines throws', async () => {
  const clock = createFakeClock()
  let aborted = 0
  const call = { path: '/', headers: {}, body: emptyBody, losses: [] }
  const lane = createWholeLane({ ...call, kind: 'verbatim', readError: throwNow }, throwNow)
  const ms = 60_000
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
    isStream: true,
    answerHeaders: {},
    durability: { type: 'none' },
    upstream: {
      call: () => ({
        pause: ignore,
        resume: ignore,
        abort: () => {
          aborted += 1
        },
      }),
      close: () => Promise.resolve(),
    },
    redactor: createRedactor(),
    answerBudget: new AnswerBudget({ heldAnswerBytes: 1_000_000 }),
    answerTurns: new AnswerTurns(clock),
    writer: { prepareHead: ignore, writeStream: () => true, endStream: ignore, sendWhole: ignore },
    clock,
    callerConnection: createCallerConnection(
      {
        start: ignore,
        write: () => true,
        end: ignore,
        cut: ignore,
        onDrain: ignore,
        onGone: ignore,
        onStop: ignore,
      },
      throwFault,
    ),
    watch: createDeadlineWatch(clock, throwFault),
    deadlineAtMs: ms,
    attemptTimeouts: throwNow,
  })
  // The timeouts are asked for once a bound could have passed.
  for (let ticks = 0; ticks * TICK_MS < MIN_FIRST_CONTENT_MS; ticks += 1) clock.advance(TICK_MS)
  expect(await outcome).toMatchObject({ type: 'failed', failure: { code: 'internal_error' } })
  expect(aborted).toBe(1)
})

function throwNow(): never {
  throw new Error('broken')
}
