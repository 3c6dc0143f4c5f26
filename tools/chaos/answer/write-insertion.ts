import type { FaultFormat } from '../script/fault-call.ts'
import type { Insertion } from '../script/fault-schema.ts'
import type { AnswerPart } from './fault-answer.ts'
import { writeErrorEvent } from './write-error-body.ts'

const OVERSIZED_BYTES = 10 * 1024 * 1024

/** The bytes that a script puts between the events of an answer. `near` are the events of the answer itself. */
export function writeInsertion(
  insertion: Insertion,
  format: FaultFormat,
  near: readonly AnswerPart[],
): Buffer {
  if (insertion.insert === 'start' || insertion.insert === 'content') {
    return near.find(({ kind }) => kind === insertion.insert)?.bytes ?? Buffer.alloc(0)
  }
  if (insertion.insert === 'invalid-utf8') return invalidUtf8(format)
  return Buffer.from(writeText(insertion, format))
}

function writeText(insertion: Insertion, format: FaultFormat): string {
  switch (insertion.insert) {
    case 'invalid-json':
      return eventOf(format, 'content_block_delta', '{"choices":[{"index":0,"delta":{"content": oops}}]}')
    case 'truncated-json':
      return eventOf(format, 'content_block_delta', '{"choices":[{"index":0,"del')
    case 'comment':
      return ': keep-alive\n\n'
    case 'ping':
      return eventOf(
        format,
        'ping',
        format === 'messages' ? '{"type":"ping"}' : '{"choices":[],"object":"ping"}',
      )
    case 'unknown-event':
      return 'event: weather\ndata: {"type":"weather","sky":"blue"}\n\n'
    case 'field-lines':
      return 'id: 41\nretry: 3000\n\n'
    case 'empty-delta':
      return deltaOf(format, '')
    case 'empty-choices':
      return eventOf(
        format,
        'ping',
        format === 'messages' ? '{"type":"ping"}' : '{"id":"fault","choices":[]}',
      )
    case 'error':
      return writeErrorEvent({ error: insertion.error ?? 'overloaded', shape: insertion.shape }, format)
    case 'oversized':
      return deltaOf(format, 'x'.repeat(insertion.bytes ?? OVERSIZED_BYTES))
    case 'late-delta':
      return deltaOf(format, 'late', 0)
    case 'wrong-index':
      return deltaOf(format, 'lost', 7)
    default:
      return insertion.text ?? ''
  }
}

function eventOf(format: FaultFormat, name: string, data: string): string {
  return format === 'messages' ? `event: ${name}\ndata: ${data}\n\n` : `data: ${data}\n\n`
}

function deltaOf(format: FaultFormat, text: string, index = 0): string {
  const messages = { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }
  const choice = {
    index,
    finish_reason: null,
    ...(format === 'completions' ? { text } : { delta: { content: text } }),
  }
  const object = format === 'completions' ? 'text_completion' : 'chat.completion.chunk'
  const chunk = { id: 'fault', object, created: 0, model: 'fault', choices: [choice] }
  return eventOf(format, 'content_block_delta', JSON.stringify(format === 'messages' ? messages : chunk))
}

const BROKEN_BYTES = Buffer.from([0xc3, 0x28, 0xff])

function invalidUtf8(format: FaultFormat): Buffer {
  const [before = '', after = ''] = deltaOf(format, '@broken@').split('@broken@')
  return Buffer.concat([Buffer.from(before), BROKEN_BYTES, Buffer.from(after)])
}
