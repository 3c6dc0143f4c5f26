import type { Extras } from '../../../canonical/format.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { readServedTier } from '../../served-tier.ts'
import { messageFields, usageFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'

/** The fields of a message besides its content. */
export interface MessageExtras {
  readonly extras?: Extras
  /** The fields that belong to the end of the answer. */
  readonly choiceFields: JsonObject
  readonly serviceTier?: ServedTier
}

/** Reads the fields of a message, and of its usage, that have no name in the canonical form. */
export function readMessageExtras(message: JsonObject): MessageExtras {
  const { stop_details: stopDetails, ...others } = message
  const usage = isJsonObject(message['usage']) ? message['usage'] : {}
  const serviceTier = readServedTier('messages', usage['service_tier'])
  return {
    ...readExtras(others, messageFields, { usage: leftoversOf(usage, usageFields) }),
    choiceFields: (stopDetails ?? undefined) === undefined ? {} : { stop_details: stopDetails },
    ...(serviceTier === undefined ? {} : { serviceTier }),
  }
}

/** The format's own fields as extras, to be spread into another object. Empty if there are no fields. */
export function createExtras(fields: JsonObject): { readonly extras?: Extras } {
  return Object.keys(fields).length === 0 ? {} : { extras: { format: 'messages', fields } }
}
