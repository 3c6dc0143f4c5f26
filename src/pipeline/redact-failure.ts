import type { Failure } from '../canonical/failure.ts'
import type { Redactor } from '../telemetry/redact.ts'

/** Takes our secrets out of everything that an upstream put into its error (law 12). */
export function redactFailure(failure: Failure, redactor: Redactor): Failure {
  const message = redactor.redact(failure.message)
  const { upstream } = failure
  if (upstream === undefined) return { ...failure, message }
  const words = {
    ...upstream,
    ...(upstream.message === undefined ? {} : { message: redactor.redact(upstream.message) }),
    ...(upstream.body === undefined ? {} : { body: redactBytes(upstream.body, redactor) }),
  }
  return { ...failure, message, upstream: words }
}

function redactBytes(bytes: Uint8Array, redactor: Redactor): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8')
  const clean = redactor.redact(text)
  return clean === text ? bytes : Buffer.from(clean, 'utf8')
}
