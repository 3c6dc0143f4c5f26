import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import type { AttemptPhase } from './attempt-deadlines.ts'

export interface AnswerSoFar {
  readonly isStream: boolean
  /** Whether the status had arrived. */
  readonly hasHead: boolean
}

/**
 * Maps a fault of the connection to a row of the error table. A whole answer that ended too early is unreadable
 * (docs/invariants.md, F9), and a stream that ended too early was cut (F8).
 */
export function failureOfFault(fault: TransportFault, { isStream, hasHead }: AnswerSoFar): Failure {
  if (fault.kind === 'truncated' && !isStream)
    return createFailure('upstream_bad_response', {
      message: 'The model provider ended its answer before it was whole.',
    })
  const message = messageOfFault(fault, hasHead)
  return createFailure(codeOfFault(fault), message === undefined ? {} : { message })
}

function codeOfFault(fault: TransportFault): ErrorCode {
  switch (fault.kind) {
    case 'name-unknown':
    case 'refused':
    case 'closed':
    case 'proxy-refused':
      return 'upstream_unreachable'
    case 'connect-timeout':
    case 'tls-timeout':
      return 'upstream_timeout'
    case 'tls':
      return 'upstream_tls'
    case 'destination-refused':
      return 'destination_refused'
    case 'reset':
    case 'truncated':
      return 'upstream_disconnected'
    case 'bad-http':
    case 'unreadable':
      return 'upstream_bad_response'
    case 'unauthorized':
      return 'upstream_credential'
    case 'no-descriptors':
      return 'out_of_descriptors'
  }
}

/** The message, if it says more than the row of the error table. */
function messageOfFault({ kind }: TransportFault, hasHead: boolean): string | undefined {
  switch (kind) {
    case 'connect-timeout':
      return 'The model provider could not be connected to in time.'
    case 'tls-timeout':
      return 'The model provider did not finish the TLS handshake in time.'
    case 'unreadable':
      return 'The model provider sent an answer that this gateway could not read.'
    case 'reset':
    case 'truncated':
      return hasHead
        ? undefined
        : 'The model provider closed the connection before it sent any of its answer.'
    default:
      return undefined
  }
}

const waitedFor: Readonly<Record<AttemptPhase, string>> = {
  headers: 'did not start to answer in time',
  'first-content': 'did not send any of its answer in time',
  idle: 'stopped sending',
  progress: 'sent nothing more of its answer in time, though it kept the connection alive',
  total: 'did not finish its answer in time',
  deadline: 'did not answer within the time that this gateway gives a request',
}

export function failureOfTimeout(phase: AttemptPhase): Failure {
  return createFailure('upstream_timeout', { message: `The model provider ${waitedFor[phase]}.` })
}
