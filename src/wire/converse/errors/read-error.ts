import type { Failure } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import { readRetryAfter } from '../../errors/read-retry-after.ts'
import type { UpstreamError } from '../../wire-format.ts'
import { createExceptionFailure } from './create-exception-failure.ts'

/**
 * Classifies an error answer by the exception's name in a header or the body. Without a name, the status and the text
 * decide. A body that is not JSON (such as a web page) is not quoted. Never throws.
 */
export function readError(answer: UpstreamError): Failure {
  const { status, headers, namesStoredObjects } = answer
  const parsed = tryParseJson(answer.body.toString('utf8'))
  const body = isJsonObject(parsed) ? parsed : {}
  const named = headers['x-amzn-errortype'] ?? body['__type'] ?? body['code']
  const name = typeof named === 'string' ? named : ''
  const retryAfterSeconds = readRetryAfter(answer)
  return createExceptionFailure({ name, body, status, retryAfterSeconds, namesStoredObjects })
}
