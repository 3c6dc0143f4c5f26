import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { includesWord, readAnswer, textOf } from './judge-answer.ts'
import { writePdf } from './make-document.ts'

/** Whether the model reads a PDF. */
export const documentsCheck: Check = {
  name: 'documents',
  bounds: { calls: 1, inputTokens: 3_000, outputTokens: OUTPUT_TOKENS },
  *run({ word }) {
    const data = writePdf(`The code word of this page is ${word}.`).toString('base64')
    const document = {
      type: 'document',
      title: 'page.pdf',
      source: { type: 'base64', mediaType: 'application/pdf', data },
    } as const
    const question = 'Which code word does the attached page name? Say the word and nothing else.'
    return judgeDocument(yield ask([saying(question, document)], { needs: ['document'] }), word)
  },
}

export function judgeDocument(call: ObservedCall, word: string): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  return includesWord(textOf(answer.reply), word) ? works('document_read') : fails('document_not_read')
}
