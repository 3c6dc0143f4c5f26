import type { Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { missingField, readInteger, readObject, readString, readWord } from '../values/field-readers.ts'
import { thinkingFields } from './request-fields.ts'

const modes = {
  enabled: 'on',
  disabled: 'off',
  adaptive: 'adaptive',
  between_tools: 'between-tools',
} as const

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

export interface ReadReasoning {
  readonly reasoning?: Reasoning
  /** The fields of `thinking` that `reasoning` does not hold. */
  readonly leftovers?: JsonObject | undefined
}

/** Reads how much the model should think: `thinking`, and the effort in `output_config`. */
export function readReasoning(body: JsonObject, outputConfig: JsonObject): ReadReasoning {
  const effort = readWord(outputConfig, 'effort', { path: 'output_config', words: efforts })
  const effortMember = effort === undefined ? {} : { effort }
  const object = readObject(body, 'thinking', '')
  if (object === undefined) return effort === undefined ? {} : { reasoning: effortMember }
  const path = 'thinking'
  const type = readWord(object, 'type', { path, words: ['enabled', 'disabled', 'adaptive', 'between_tools'] })
  if (type === undefined) throw missingField('thinking.type')
  const budgetTokens = readInteger(object, 'budget_tokens', { path, min: 1 })
  if (type === 'enabled' && budgetTokens === undefined) throw missingField('thinking.budget_tokens')
  const display = readString(object, 'display', path)
  const isKnown = display === 'summarized' || display === 'omitted'
  // An unknown value of `display` stays unchanged, since it may be newer than this gateway.
  const shown = display === undefined || isKnown ? {} : { display }
  const leftovers = { ...leftoversOf(object, thinkingFields), ...shown }
  return {
    reasoning: {
      mode: modes[type],
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
      ...(isKnown ? { display } : {}),
      ...effortMember,
    },
    leftovers: Object.keys(leftovers).length === 0 ? undefined : leftovers,
  }
}
