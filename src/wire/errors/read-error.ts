import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { UpstreamError } from '../wire-format.ts'
import { callerFaults, passingFaults } from './caller-faults.ts'
import { classifyError } from './classify-error.ts'
import { parseOrText } from './parse-or-text.ts'
import { type ErrorWords, findError, readErrorWords } from './read-error-words.ts'
import { readRetryAfter } from './read-retry-after.ts'

export function readError(answer: UpstreamError): Failure {
  const { status, headers, body, namesStoredObjects } = answer
  const text = body.toString('utf8').trim()
  const isPage = text.startsWith('<') || (headers['content-type'] ?? '').includes('text/html')
  const parsed = isPage ? '' : parseOrText(text)
  const words = isPage ? { text: '', ownText: '' } : readErrorWords(parsed)
  const code = classifyError(status, words.text, { ...contextOf(words), isPage, namesStoredObjects })
  const retryAfterSeconds = passingFaults.has(code) ? readRetryAfter(answer) : undefined
  const failure = failureOf(code, words, status)
  // The gateway hands on word for word only what clients of the format can read.
  if (!callerFaults.has(code) || !hasOwnForm(parsed)) return omitUndefined({ ...failure, retryAfterSeconds })
  return { ...failure, upstream: { ...wordsForLog(words, status), body } }
}

/** Whether an error has the format's own shape; many servers of the format have shapes of their own. */
function hasOwnForm(body: JsonValue): boolean {
  const error = isJsonObject(body) ? body['error'] : undefined
  return isJsonObject(error) && typeof error['message'] === 'string'
}

/** The failure that a body under a good status holds instead of an answer; undefined where it holds none. */
export function readErrorInAnswer(body: JsonObject): Failure | undefined {
  const words = findError(body)
  return words === undefined ? undefined : failureFromWords(words)
}

/** An error inside a stream or a successful answer, whatever its shape. */
export function readStreamError(value: JsonValue): Failure {
  return failureFromWords(readErrorWords(value))
}

function failureFromWords(words: ErrorWords): Failure {
  return failureOf(classifyError(words.status, words.text, contextOf(words)), words, words.status ?? 200)
}

function contextOf({ param, ownText }: ErrorWords) {
  return { param, ownText }
}

function failureOf(code: ErrorCode, words: ErrorWords, status: number): Failure {
  const isCallers = callerFaults.has(code)
  return createFailure(
    code,
    omitUndefined({
      ...(isCallers && words.message !== undefined ? { message: words.message } : {}),
      param: isCallers ? words.param : undefined,
      upstream: wordsForLog(words, status),
    }),
  )
}

function wordsForLog(words: ErrorWords, status: number) {
  const { type, code, message, param } = words
  return { status, ...omitUndefined({ type, code, message, param }) }
}
