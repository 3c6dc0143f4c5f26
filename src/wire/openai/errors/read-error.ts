import type { Failure } from '../../../canonical/failure.ts'
import { readError as readCommonError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'

/** An error answer of an OpenAI format: most other servers word theirs alike. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}
