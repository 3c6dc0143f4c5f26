import type { TextForm } from '../script/fault-schema.ts'
import { type FaultAnswer, withParts } from './fault-answer.ts'

const lineEnds = { lf: '\n', crlf: '\r\n', cr: '\r' } as const
const mixture = ['\n', '\r\n', '\r'] as const

/**
 * The same stream with other line ends, a byte order mark, or without its last blank line. Whole answers keep theirs.
 */
export function shapeText(answer: FaultAnswer, form: TextForm): FaultAnswer {
  const { line_ends: ends = 'lf', byte_order_mark: hasMark = false, last_blank_line: hasLast = true } = form
  const last = answer.parts.length - 1
  const parts = answer.parts.map((part, index) => {
    // Byte for byte, so that invalid UTF-8 stays unchanged.
    const text = part.bytes.toString('latin1')
    const ended = answer.isStream && index === last && !hasLast ? text.replace(/\n\n$/, '\n') : text
    const lined = answer.isStream ? replaceLineEnds(ended, ends, index) : ended
    const mark = hasMark && index === 0 ? '\xef\xbb\xbf' : ''
    return { ...part, bytes: Buffer.from(`${mark}${lined}`, 'latin1') }
  })
  return withParts(answer, parts)
}

function replaceLineEnds(text: string, ends: NonNullable<TextForm['line_ends']>, offset: number): string {
  if (ends !== 'mixed') return ends === 'lf' ? text : text.replaceAll('\n', lineEnds[ends])
  // One kind for each event: a CR before the LF of the next line would be read as one line end.
  return text.replaceAll('\n', mixture[offset % mixture.length] ?? '\n')
}
