import { expect, it } from 'vitest'
import { answerLocally } from './answer-locally.ts'
import { AttemptLog } from './attempt/attempt-log.ts'
import { TimeAccount } from './exchange/time-account.ts'
import type { WholeAnswer } from './response/response-writer.ts'

function answer(isGone: boolean) {
  const sent: WholeAnswer[] = []
  const writer = { sendWhole: (whole: WholeAnswer) => sent.push(whole) }
  const attempts = new AttemptLog(new TimeAccount(0, 0))
  const call = { writer, callerConnection: { isGone }, attempts }
  const outcome = answerLocally(call, 'fast', { body: '{}', usage: undefined, losses: [] })
  return { outcome: outcome.type, origin: attempts.answer.type, sent: sent.length }
}

it('an answer that the gateway made itself is sent to its caller', () => {
  expect(answer(false)).toEqual({ outcome: 'answered', origin: 'gateway', sent: 1 })
})

it('a caller that disconnected before it is recorded as gone, and not as answered', () => {
  expect(answer(true)).toEqual({ outcome: 'caller-gone', origin: 'nothing', sent: 0 })
})
