import { expect, it } from 'vitest'
import { answered, checkWord, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import { documentsCheck } from './documents-check.ts'

const run = (text: string) => runCheck(documentsCheck, answered(saidText(text)))

it('attaches a PDF that contains the word and has a valid cross-reference table', () => {
  const [call] = run('?').calls
  const turn = call?.type === 'conversation' ? call.request.turns[0] : undefined
  const document = turn?.role === 'user' ? turn.content.find(({ type }) => type === 'document') : undefined
  const source = document?.type === 'document' ? document.source : undefined
  const text = Buffer.from(source?.type === 'base64' ? source.data : '', 'base64').toString('latin1')
  expect(text).toContain(`The code word of this page is ${checkWord}.`)
  const table = Number(/startxref\n(\d+)/.exec(text)?.[1])
  const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  expect(offsets.map((offset) => text.slice(offset, offset + 7))).toEqual(
    offsets.map((_, index) => `${index + 1} 0 obj`),
  )
  expect(offsets).toHaveLength(5)
})

it('passes if the answer names the word', () => {
  expect(run(`It says "${checkWord}".`).verdict.finding).toBe('document_read')
  expect(run('I see no document.').verdict.finding).toBe('document_not_read')
})
