// Explains the route of a request to operators: a sample request of a caller is created and planned.
import { describeCaller } from '../access/describe-caller.ts'
import type { Caller } from '../access/key.ts'
import type { KeyRegistry } from '../access/key-registry.ts'
import type { ExplainedRequest, ExplainRoute } from '../admin/models/explain-route.ts'
import { GatewayError } from '../canonical/failure.ts'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { createRequestId } from '../kit/random/ids.ts'
import type { Clock } from '../kit/time/clock.ts'
import { operatorCaller } from '../pipeline/caller-access.ts'
import { callerFormats } from './formats.ts'
import type { RequestPipeline } from './open-pipeline.ts'

export interface ExplainOptions {
  readonly explain: RequestPipeline['explain']
  readonly registry: Pick<KeyRegistry, 'keys' | 'groups'>
  readonly clock: Clock
}

export function createExplainRoute({ explain, registry, clock }: ExplainOptions): ExplainRoute {
  return (input) => {
    const { model, format, isStream } = input
    return explain({
      type: 'operation',
      requestId: createRequestId(clock.nowMs()),
      format: callerFormats[format],
      path: '/admin/v1/route',
      caller: findCaller(input.key, registry),
      address: '',
      headers: {},
      query: '',
      body: BodyBytes.from([Buffer.from(JSON.stringify(writeBody(input)))]),
      startedAtMs: clock.monotonicMs(),
      // Gemini's callers send these in the path.
      terms: format === 'gemini' ? { model, isStream } : undefined,
    })
  }
}

function writeBody({ model, format, isStream, body }: ExplainedRequest): JsonObject {
  if (format === 'gemini') return body
  return { ...body, model, ...(isStream && { stream: true }) }
}

function findCaller(
  reference: string | undefined,
  { keys, groups }: Pick<KeyRegistry, 'keys' | 'groups'>,
): Caller {
  if (reference === undefined) return operatorCaller
  const all = keys()
  const key =
    all.find(({ id }) => id === reference) ??
    all.find(({ name, revokedAtMs }) => name === reference && revokedAtMs === undefined)
  if (key === undefined) throw new GatewayError('key_not_found', { param: 'key' })
  return describeCaller(key, groups() ?? new Map())
}
