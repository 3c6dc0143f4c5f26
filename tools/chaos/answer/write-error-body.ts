import { unreachable } from '../../../src/kit/errors/unreachable.ts'
import type { JsonObject } from '../../../src/kit/json/json.ts'
import { type ErrorFields, type ErrorName, type ErrorShape, errorWords } from '../script/error-words.ts'
import type { FaultFormat } from '../script/fault-call.ts'

export interface ErrorBody {
  readonly text: string
  readonly contentType: string
}

export interface ErrorChoice {
  readonly error: ErrorName
  readonly shape?: ErrorShape | undefined
}

/** The body of an error answer, and its type. */
export function writeErrorBody({ error, shape = 'own' }: ErrorChoice, format: FaultFormat): ErrorBody {
  const words = errorWords[error]
  if (shape === 'empty') return { text: '', contentType: 'text/plain' }
  if (shape === 'text') return { text: `${words.message}\n`, contentType: 'text/plain; charset=utf-8' }
  if (shape === 'html') return { text: writePage(words), contentType: 'text/html' }
  return { text: JSON.stringify(writeErrorJson(words, shape, format)), contentType: 'application/json' }
}

/** The error event of a stream. */
export function writeErrorEvent({ error, shape = 'own' }: ErrorChoice, format: FaultFormat): string {
  const { text } = writeErrorBody({ error, shape }, format)
  return format === 'messages' && shape === 'own' ? `event: error\ndata: ${text}\n\n` : `data: ${text}\n\n`
}

function writeErrorJson(
  words: ErrorFields,
  shape: Exclude<ErrorShape, 'html' | 'text' | 'empty'>,
  format: FaultFormat,
): JsonObject {
  const { status, message, type, code } = words
  switch (shape) {
    case 'own':
      return format === 'messages' ? writeTypeError(words) : { error: { message, type, param: null, code } }
    case 'error-text':
      return { error: message }
    case 'object-error':
      return { object: 'error', message, type, param: null, code: status }
    case 'code-message':
      return { code: code ?? String(status), message }
    case 'type-error':
      return writeTypeError(words)
    case 'detail':
      return { detail: message, code: code ?? String(status) }
    case 'base-resp':
      return { base_resp: { status_code: 1000 + status, status_msg: message } }
    default:
      return unreachable(shape)
  }
}

function writeTypeError({ message, messagesType }: ErrorFields): JsonObject {
  return { type: 'error', error: { type: messagesType, message }, request_id: 'req_fault' }
}

function writePage({ status, message }: ErrorFields): string {
  return `<html>\n<head><title>${status}</title></head>\n<body><center><h1>${message}</h1></center></body>\n</html>\n`
}
