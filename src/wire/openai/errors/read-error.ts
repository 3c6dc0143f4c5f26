import type { Failure } from '../../../canonical/failure.ts'
import { readError as readCommonError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'

/** Reads an error answer of an OpenAI format. Most other servers have similar texts. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}
