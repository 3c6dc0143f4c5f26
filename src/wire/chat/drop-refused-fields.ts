import type { LossFeature } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json.ts'
import type { RefusableField } from '../dialect.ts'
import { lose, type WriteContext } from './write-context.ts'

const featureOf: Readonly<Record<RefusableField, LossFeature>> = {
  temperature: 'sampling',
  top_p: 'sampling',
  presence_penalty: 'presence-penalty',
  frequency_penalty: 'frequency-penalty',
  seed: 'seed',
  stop: 'stop-sequences',
  n: 'choices',
  logprobs: 'logprobs',
  top_logprobs: 'logprobs',
  logit_bias: 'logit-bias',
  user: 'end-user',
  service_tier: 'service-tier',
  verbosity: 'verbosity',
}

/** Values that ask for nothing but what the server does anyway. */
function saysNothing(name: RefusableField, value: unknown): boolean {
  if (name === 'n') return value === 1
  return name === 'logprobs' && value === false
}

/** Leaves out what the server would refuse the request for. */
export function dropRefusedFields(body: JsonObject, context: WriteContext): JsonObject {
  const { refusedFields } = context.dialect
  const found = refusedFields.filter((name) => body[name] !== undefined)
  if (found.length === 0) return body
  for (const name of found) {
    if (!saysNothing(name, body[name])) lose(context, featureOf[name], 'dropped')
  }
  const refused: ReadonlySet<string> = new Set(found)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)))
}
