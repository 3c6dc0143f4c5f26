import { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isItemReference } from '../values/item-references.ts'

/** Fields that reference objects stored by a provider, and what the caller can send instead. */
const remedies: Readonly<Record<string, string>> = {
  previous_response_id:
    'Leave it out and send the whole conversation in "input", with "store": false and, for models that reason, "include": ["reasoning.encrypted_content"]',
  conversation: 'Leave it out and send the whole conversation in "input", with "store": false',
  prompt: 'Leave it out and send the words of the prompt in "instructions" or "input"',
}

/**
 * Rejects references that only the provider that stores the object can resolve. A channel of the responses format gets
 * such requests untranslated. On every other channel nothing is stored. Throws `cannot_be_carried` or
 * `previous_response_not_found`.
 */
export function refuseStoredState(body: JsonObject): void {
  for (const [name, remedy] of Object.entries(remedies)) {
    if ((body[name] ?? undefined) !== undefined) throw notStored(name, remedy)
  }
  if (body['background'] === true) {
    throw notStored('background', 'Leave it out, and read the answer from the request itself or as a stream')
  }
}

export function refuseStoredItem(item: JsonObject, path: string): void {
  if (isItemReference(item))
    throw notStored(path, 'Send the item itself in the place of its id, with "store": false')
}

/** Clients that get `previous_response_not_found` send the earlier turns again. */
function notStored(param: string, remedy: string): GatewayError {
  const code = param === 'previous_response_id' ? 'previous_response_not_found' : 'cannot_be_carried'
  return new GatewayError(code, {
    param,
    message: `"${param}" points to what a provider keeps, and the channel for this model keeps nothing. ${remedy}.`,
  })
}
