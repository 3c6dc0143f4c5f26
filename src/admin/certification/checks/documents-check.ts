import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { includesWord, readAnswer, textOf } from './judge-answer.ts'

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

function judgeDocument(call: ObservedCall, word: string): CheckVerdict {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer.verdict
  return includesWord(textOf(answer.reply), word) ? works('document_read') : fails('document_not_read')
}

/**
 * A PDF with one page and one line of text (ISO 32000-1, 7.5: header, objects, cross-reference table, trailer). The
 * text has only letters, digits, spaces, hyphens and full stops, which need no escape.
 */
function writePdf(line: string): Buffer {
  const content = `BT /F1 18 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + trailer, 'latin1')
}
