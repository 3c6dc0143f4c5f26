import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { callerFaults } from '../../errors/caller-faults.ts'
import { classifyError } from './classify-error.ts'

export interface ExceptionAnswer {
  /** Empty where nothing names it. */
  readonly name: string
  /** The exception's members, `message` among them. */
  readonly body: JsonObject
  /** Absent where the error arrived inside a stream that had begun. */
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
  readonly namesStoredObjects?: boolean | undefined
}

/** The status for an exception that arrived without one. */
const STATUS_INSIDE_STREAM = 200

/** The failure of an error of Amazon Bedrock. Faults of our own credential or deployment show our message alone. */
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

/** Some front ends capitalize the field. The message of the model's own server goes beside it. */
function readMessage(body: JsonObject): string {
  const said = body['message'] ?? body['Message']
  const original = body['originalMessage']
  const parts = [said, original].filter((part) => typeof part === 'string' && part !== '')
  return parts.join(' ')
}
