import type { Failure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { Redactor } from '../../telemetry/redact.ts'

/** Removes the gateway's secrets from everything that an upstream put into its error. */
export function redactFailure(failure: Failure, redactor: Redactor): Failure {
  const { upstream, details, param } = failure
  return {
    ...failure,
    message: redactor.redact(failure.message),
    ...(param === undefined ? {} : { param: redactor.redact(param) }),
    ...(details === undefined ? {} : { details: redactObject(details, redactor) }),
    ...(upstream === undefined ? {} : { upstream: redactWords(upstream, redactor) }),
  }
}

type UpstreamWords = NonNullable<Failure['upstream']>

function redactWords(words: UpstreamWords, redactor: Redactor): UpstreamWords {
  const { type, code, message, param, body } = words
  return {
    ...words,
    ...(type === undefined ? {} : { type: redactor.redact(type) }),
    ...(code === undefined ? {} : { code: redactor.redact(code) }),
    ...(message === undefined ? {} : { message: redactor.redact(message) }),
    ...(param === undefined ? {} : { param: redactor.redact(param) }),
    ...(body === undefined ? {} : { body: redactBytes(body, redactor) }),
  }
}

function redactObject(value: JsonObject, redactor: Redactor): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redactor.redact(name), redactValue(inner, redactor)]),
  )
}

function redactValue(value: JsonValue | undefined, redactor: Redactor): JsonValue {
  if (typeof value === 'string') return redactor.redact(value)
  if (Array.isArray(value)) return value.map((each: JsonValue) => redactValue(each, redactor))
  if (isJsonObject(value)) return redactObject(value, redactor)
  return value ?? null
}

function redactBytes(bytes: Uint8Array, redactor: Redactor): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8')
  const clean = redactor.redact(text)
  return clean === text ? bytes : Buffer.from(clean, 'utf8')
}
