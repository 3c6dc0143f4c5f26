import { expect, it } from 'vitest'
import {
  answered,
  checkWord,
  refused,
  runCheck,
  saidText,
} from '../../../../test/support/certification/run-check.ts'
import { chatCheck } from './chat-check.ts'

it('passes if the answer contains the word, in any case and among other words', () => {
  const { verdict } = runCheck(chatCheck, answered(saidText(`Sure: ${checkWord.toUpperCase()}.`)))
  expect(verdict).toEqual({ outcome: 'works', finding: 'word_repeated', details: { word: checkWord } })
})

it('fails if the answer has other words or none', () => {
  expect(runCheck(chatCheck, answered(saidText('Hello!'))).verdict.finding).toBe('word_missing')
  expect(runCheck(chatCheck, answered(saidText(' \n'))).verdict.finding).toBe('no_text')
})

it('is skipped if the channel cannot be reached, and fails if the channel refuses the request', () => {
  expect(runCheck(chatCheck, refused('upstream_unreachable')).verdict.outcome).toBe('not_tried')
  expect(runCheck(chatCheck, refused('upstream_rejected')).verdict.outcome).toBe('does_not_work')
})
