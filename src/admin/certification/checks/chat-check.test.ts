import { expect, it } from 'vitest'
import {
  answered,
  checkWord,
  refused,
  runCheck,
  saidText,
} from '../../../../test/support/certification/run-check.ts'
import { chatCheck } from './chat-check.ts'

it('works where the answer holds the word, in any case and among other words', () => {
  const { verdict } = runCheck(chatCheck, answered(saidText(`Sure: ${checkWord.toUpperCase()}.`)))
  expect(verdict).toEqual({ outcome: 'works', finding: 'word_repeated', details: { word: checkWord } })
})

it('does not work where the answer is other words, or none', () => {
  expect(runCheck(chatCheck, answered(saidText('Hello!'))).verdict.finding).toBe('word_missing')
  expect(runCheck(chatCheck, answered(saidText(' \n'))).verdict.finding).toBe('no_text')
})

it('is not tried where the channel cannot be reached, and does not work where it refuses', () => {
  expect(runCheck(chatCheck, refused('upstream_unreachable')).verdict.outcome).toBe('not_tried')
  expect(runCheck(chatCheck, refused('upstream_rejected')).verdict.outcome).toBe('does_not_work')
})
