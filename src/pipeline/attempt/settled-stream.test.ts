import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import type { UpstreamListener } from '../../upstream/upstream.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { AnswerBudget, AnswerTurns } from '../exchange/answer-budget.ts'
import { createWholeLane } from '../lane/whole-lane.ts'
import { createVerbatimRelay } from '../relay/verbatim-relay.ts'
import { createCallerConnection } from '../response/caller-connection.ts'
import { createDeadlineWatch } from '../response/deadline-watch.ts'
import { runAttempt } from './run-attempt.ts'

const ignore = () => undefined
const throwNow = () => {
  throw new Error('not read')
}
const ms = 60_000
const choice = { index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }
const answer = `data: ${JSON.stringify({ id: 'c', choices: [choice] })}\n\ndata: [DONE]\n\n`

/** An attempt whose stream ends once its settlement is written. */
function runSettled() {
  const clock = createFakeClock()
  const settled = Promise.withResolvers<void>()
  const sent: string[] = []
  const listeners: UpstreamListener[] = []
  const call = { path: '/', headers: {}, body: emptyBody, losses: [] }
  const whole = createWholeLane({ ...call, kind: 'verbatim', readError: throwNow }, throwNow)
  const outcome = runAttempt({
    lane: { ...whole, createStreamRelay: (parser) => createVerbatimRelay(chatFormat, { parser }) },
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
    durability: { type: 'settled', settleBeforeEnd: () => settled.promise },
    upstream: {
      call(_, listener) {
        listeners.push(listener)
        return { pause: ignore, resume: ignore, abort: ignore }
      },
      close: () => Promise.resolve(),
    },
    redactor: createRedactor(),
    answerBudget: new AnswerBudget({ heldAnswerBytes: 1_000_000 }),
    answerTurns: new AnswerTurns(clock),
    writer: {
      prepareHead: () => undefined,
      writeStream(bytes) {
        sent.push(bytes.toString())
        return true
      },
      endStream: () => sent.push('end'),
      sendWhole: ignore,
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
        onGone: ignore,
      },
      throwFault,
    ),
    watch: createDeadlineWatch(clock, throwFault),
    deadlineAtMs: ms,
  })
  return { outcome, settled, sent, listener: listeners[0] }
}

it('a complete stream stays complete if its connection breaks while the settlement is written', async () => {
  const { outcome, settled, sent, listener } = runSettled()
  listener?.onHead(200, { 'content-type': 'text/event-stream' })
  listener?.onData(Buffer.from(answer))
  listener?.onFault({ kind: 'truncated', message: 'closed', onReusedConnection: false })
  settled.resolve()
  expect(await outcome).toMatchObject({ type: 'answered' })
  expect(sent).toEqual([answer, 'end'])
})
