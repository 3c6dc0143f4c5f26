import type { KeyId } from '../../access/key.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { isStoredId, type ResponseOwner, type StoredResponse } from '../../stored-answers/stored-response.ts'
import {
  type ItemReference,
  listReferences,
  mayHoldReference,
} from '../../wire/responses/values/item-references.ts'
import { fieldValue } from '../../wire/verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'
import type { PriorRefusal, PriorState } from '../exchange/prior-state.ts'
import { hasEnded, type ItemGroup, listItems, outputOf, readStored } from '../exchange/stored-conversation.ts'
import type { FindableResponses } from './conversation-memory.ts'
import { type Chain, readChain } from './read-chain.ts'
import { readInputItemId } from './response-ids.ts'

const FIELD = 'previous_response_id'
const MAX_REFERENCES = 2_000

export interface PriorInput {
  readonly scanned: ScannedRequest
  readonly keyId: KeyId
  readonly responses: FindableResponses
  /** The ID in `previous_response_id`; undefined where there is none. */
  readonly previousId: string | undefined
  /** Whether channels other than the owner may be sent the whole conversation. */
  readonly mayRestore: boolean
}

/** Reads the ID in `previous_response_id`. Throws `invalid_field` if the value is not an ID. */
export function readPreviousId({ fields, body }: ScannedRequest): string | undefined {
  const field = fields.get(FIELD)
  const value = field === undefined ? null : fieldValue(body, field)
  if (value === null || isStoredId(value)) return value ?? undefined
  throw new GatewayError('invalid_field', {
    param: FIELD,
    message: `The field "${FIELD}" must be the id of a response, as a string.`,
  })
}

/**
 * Looks up the responses and items to which a request refers. Only those of its key are found. Undefined where the
 * request refers to nothing.
 */
export async function findPriorState(input: PriorInput): Promise<PriorState | undefined> {
  const { previousId } = input
  const parsed = parseReferringInput(input.scanned)
  const references = listReferences(parsed ?? null)
  if (previousId === undefined && references.length === 0) return undefined
  const chain = previousId === undefined ? undefined : await readChain(input, previousId)
  if (chain === 'unknown') return { type: 'unknown', refusal: refusePrevious(previousId ?? '') }
  const found = await findReferences(input, references)
  if (found.type === 'unknown') return found
  const account = sameOwner([...(chain === undefined ? [] : [chain.owner]), ...found.owners])
  const owner = account === undefined ? undefined : { account, upstreamPreviousId: chain?.owner?.providerId }
  const before = chain === undefined ? [] : chain.groups
  const own = replaceReferences(parsed ?? ownInput(input.scanned), references, found.items)
  const continued = { chain: chain?.ids ?? [], resolvedInput: references.length > 0 ? own : undefined }
  if (input.mayRestore && before !== undefined && own !== undefined)
    return { ...continued, type: 'restorable', owner, before, own }
  const refusal = refusalOf(previousId, chain, references)
  if (owner === undefined) return { type: 'unavailable', refusal }
  return { ...continued, type: 'owner-only', owner, refusal }
}

/** The input if it may hold references. The input of nearly every request holds none and is not parsed. */
function parseReferringInput(scanned: ScannedRequest): JsonValue | undefined {
  const field = scanned.fields.get('input')
  if (field === undefined) return undefined
  const parts = scanned.body.slice(field.valueStart, field.valueEnd)
  const [only] = parts
  const bytes = only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
  return mayHoldReference(bytes) ? toJson(fieldValue(scanned.body, field)) : undefined
}

function ownInput(scanned: ScannedRequest): JsonValue {
  const field = scanned.fields.get('input')
  return field === undefined ? [] : toJson(fieldValue(scanned.body, field))
}

function toJson(value: unknown): JsonValue {
  return typeof value === 'string' || Array.isArray(value) || isJsonObject(value) ? value : []
}

type FoundReferences =
  | Extract<PriorState, { readonly type: 'unknown' }>
  | {
      readonly type: 'found'
      readonly owners: readonly (ResponseOwner | undefined)[]
      readonly items: ReadonlyMap<string, ItemGroup>
    }

async function findReferences(
  { keyId, responses }: Pick<PriorInput, 'keyId' | 'responses'>,
  references: readonly ItemReference[],
): Promise<FoundReferences> {
  if (references.length > MAX_REFERENCES) throw tooManyReferences()
  const ids = [...new Set(references.map(({ id }) => id))]
  const holders = ids.length === 0 ? new Map<string, string>() : await responses.findItems(keyId, ids)
  const stored = new Map<string, StoredResponse | undefined>()
  const items = new Map<string, ItemGroup>()
  const owners: (ResponseOwner | undefined)[] = []
  for (const { id, index } of references) {
    const holderId = holders.get(id) ?? readInputItemId(id)?.responseId
    if (holderId !== undefined && !stored.has(holderId))
      stored.set(holderId, await responses.find(keyId, holderId))
    const holder = holderId === undefined ? undefined : stored.get(holderId)
    if (holder === undefined) return { type: 'unknown', refusal: refuseItem(id, index) }
    owners.push(readInputItemId(id) === undefined ? holder.owner : undefined)
    const group = findItem(holder, id)
    if (group !== undefined) items.set(id, group)
  }
  return { type: 'found', owners, items }
}

function findItem(holder: StoredResponse, id: string): ItemGroup | undefined {
  const read = readStored(holder)
  if (read === undefined) return undefined
  const position = readInputItemId(id)
  if (position !== undefined) {
    const item = read.input.groups.flatMap(listItems)[position.index]
    return item === undefined ? undefined : { items: [item], account: undefined }
  }
  if (!hasEnded(read.response)) return undefined
  const output = outputOf(read)
  const item = listItems(output).find((one) => isJsonObject(one) && one['id'] === id)
  return item === undefined ? undefined : { ...output, items: [item] }
}

/** The input with the items in place of their IDs; undefined where the content of an item is not stored here. */
function replaceReferences(
  input: JsonValue,
  references: readonly ItemReference[],
  items: ReadonlyMap<string, ItemGroup>,
): readonly ItemGroup[] | undefined {
  if (references.length === 0) return [{ items: input, account: undefined }]
  const all = listItems({ items: input })
  const groups: ItemGroup[] = []
  let from = 0
  for (const { index, id } of references) {
    const found = items.get(id)
    if (found === undefined) return undefined
    if (from < index) groups.push({ items: all.slice(from, index), account: undefined })
    groups.push(found)
    from = index + 1
  }
  if (from < all.length) groups.push({ items: all.slice(from), account: undefined })
  return groups
}

/** The one account that stores everything; undefined where there is no such account. */
function sameOwner(owners: readonly (ResponseOwner | undefined)[]): ResponseOwner | undefined {
  const [first, ...others] = owners
  if (first === undefined) return undefined
  const isSame = (one: ResponseOwner | undefined) =>
    one?.channelName === first.channelName && one.credentialId === first.credentialId
  return others.every(isSame) ? first : undefined
}

function refusalOf(
  previousId: string | undefined,
  chain: Chain | undefined,
  [reference]: readonly ItemReference[],
): PriorRefusal {
  if (previousId !== undefined && (chain?.groups === undefined || reference === undefined))
    return refusePrevious(previousId)
  return refuseItem(reference?.id ?? '', reference?.index ?? 0)
}

function refusePrevious(id: string): PriorRefusal {
  return {
    code: 'previous_response_not_found',
    param: FIELD,
    message: `Previous response with id ${shown(id)} not found: this key has no stored response of that id from which a channel of this model can go on. Leave "${FIELD}" out and send the whole conversation in "input".`,
  }
}

function refuseItem(id: string, index: number): PriorRefusal {
  return {
    code: 'item_not_found',
    param: `input[${index}]`,
    message: `Item with id ${shown(id)} not found: this key has no stored item of that id that a channel of this model can be given. Send the item itself in the place of its id.`,
  }
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 128))
}

function tooManyReferences(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'input',
    message: `The field "input" holds more than ${MAX_REFERENCES} references to items. Send the items themselves.`,
  })
}
