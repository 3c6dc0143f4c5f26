import { causeOf, GatewayError, innerReasonOf } from '../../canonical/failure.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { ConfigError } from '../../config/config-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { ServerRefusedError } from './server-refused-error.ts'

/**
 * Describes an error of a start or a command: what happened, what to do, and below that the causes. A stack is shown
 * only for our own faults.
 */
export function describeError(error: unknown): string {
  if (error instanceof OperatorError)
    return [`${error.message} [${error.code}]`, ...listCauses(error)].join('\n')
  if (error instanceof GatewayError) return describeGatewayError(error)
  return isFault(error) ? `internal fault: ${error.stack ?? error.message}` : reasonOf(error)
}

/** Writes an error for printing. Each line of a `ConfigError` begins with its file, like a compiler's message. */
export function writeFailure(error: unknown): string {
  return error instanceof ConfigError ? error.message : `headgate: ${describeError(error)}`
}

function describeGatewayError(error: GatewayError): string {
  const cause = causeOf(error)
  if (cause === undefined) return error.message
  // The message for callers refers to the log, but a command has no log.
  return error.failure.code === 'store_unavailable' ? cause : `${error.message} (${cause})`
}

/** Lists the causes that the message does not quote. */
function listCauses({ message, cause: first }: Error): readonly string[] {
  const lines: string[] = []
  for (let cause = first; cause !== undefined; cause = cause instanceof Error ? cause.cause : undefined) {
    const reason = cause instanceof OperatorError ? cause.happened : innerReasonOf(cause)
    if (!message.includes(reason)) lines.push(`  cause: ${reason}`)
  }
  return lines
}

/** Whether the error is unexpected. Node's errors from the system, such as a full disk, have a code. */
function isFault(error: unknown): error is Error {
  if (error instanceof ConfigError || error instanceof ServerRefusedError) return false
  return error instanceof Error && errorCodeOf(error) === undefined
}
