import type { LossFeature, LossList } from '../../../canonical/loss.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import type { Dialect, RefusableField } from '../../dialect.ts'

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

/**
 * Returns the fields that make the server reject a request with this effort. `effort` is undefined for a request that
 * does not name one.
 */
export function refusedBeside(effort: JsonValue | undefined, dialect: Dialect): readonly RefusableField[] {
  const { refusedFields, refusedWhileReasoning, reasonsByDefault } = dialect
  const isReasoning = effort === undefined ? reasonsByDefault : effort !== 'none'
  return isReasoning ? [...refusedFields, ...refusedWhileReasoning] : refusedFields
}

/** Leaves out the fields that the server would reject. */
export function dropRefusedFields(
  body: JsonObject,
  fields: readonly RefusableField[],
  losses: LossList,
): JsonObject {
  const found = fields.filter((name) => body[name] !== undefined)
  if (found.length === 0) return body
  for (const name of found) {
    if (!saysNothing(name, body[name])) losses.lose(featureOf[name], 'dropped')
  }
  const refused: ReadonlySet<string> = new Set(found)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)))
}

/** Whether a value only asks for the server's default behavior. */
function saysNothing(name: RefusableField, value: JsonValue | undefined): boolean {
  switch (name) {
    case 'n':
    case 'temperature':
    case 'top_p':
      return value === 1
    case 'presence_penalty':
    case 'frequency_penalty':
    case 'top_logprobs':
      return value === 0
    case 'logprobs':
      return value === false
    case 'verbosity':
      return value === 'medium'
    default:
      return false
  }
}
