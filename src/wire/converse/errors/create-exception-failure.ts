import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { callerFaults } from '../../errors/caller-faults.ts'
import { classifyError } from './classify-error.ts'

export interface ExceptionAnswer {
  /** The exception's name. Empty if the exception has no name. */
  readonly name: string
  /** The members of the exception, including `message`. */
  readonly body: JsonObject
  /** Absent if the error arrived inside a stream that had already started. */
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
  readonly namesStoredObjects?: boolean | undefined
}

/** The status for an exception that arrived without one. */
const STATUS_INSIDE_STREAM = 200

/** The failure for an Amazon Bedrock error. If our credential or deployment is at fault, it has only our message. */
export function createExceptionFailure(answer: ExceptionAnswer): Failure {
  const { name, body, status, retryAfterSeconds, namesStoredObjects } = answer
  const message = readMessage(body)
  const code = classifyError({ name, status, message, namesStoredObjects })
  return createFailure(code, {
    ...(callerFaults.has(code) && message !== '' ? { message } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    upstream: {
      status: status ?? STATUS_INSIDE_STREAM,
      ...(name === '' ? {} : { type: name.split(':')[0] ?? name }),
      ...(message === '' ? {} : { message }),
    },
  })
}

/** Reads the message. Some front ends capitalize the field. The message of the model's own server is appended. */
function readMessage(body: JsonObject): string {
  const said = body['message'] ?? body['Message']
  const original = body['originalMessage']
  const parts = [said, original].filter((part) => typeof part === 'string' && part !== '')
  return parts.join(' ')
}
