import { GatewayError } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ObjectDetail, RemoteObject } from '../../stored-answers/remote-object.ts'
import type { ObjectCall } from '../batches/object-input.ts'

/** The limits of https://platform.claude.com/docs/en/api/listing-message-batches, seen 2026-11-25. */
const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1_000

export interface ListedPage {
  readonly objects: readonly RemoteObject[]
  /** The members of the answer next to `data`. */
  readonly ends: JsonObject & { readonly has_more: boolean; readonly last_id: string | null }
}

/** A page of a key's objects, the newest first, after or before one of them. Rejects with `invalid_field`. */
export async function findPage(
  { request, remoteObjects }: ObjectCall,
  type: ObjectDetail['type'],
  query: URLSearchParams,
): Promise<ListedPage> {
  const limit = readLimit(query.get('limit'))
  const before = query.get('before_id')
  const after = query.get('after_id') ?? query.get('page')
  if (before !== null && after !== null)
    throw new GatewayError('invalid_field', {
      param: 'after_id',
      message: 'Send after_id or before_id, not both.',
    })
  const found = await remoteObjects.list(request.caller.keyId, {
    type,
    after: before ?? after ?? undefined,
    limit: limit + 1,
    isAscending: before !== null,
  })
  const page = found.slice(0, limit)
  const objects = before === null ? page : page.toReversed()
  const ends = {
    has_more: found.length > limit,
    first_id: objects[0]?.id ?? null,
    last_id: objects.at(-1)?.id ?? null,
  }
  return { objects, ends }
}

function readLimit(text: string | null): number {
  const limit = Number(text ?? DEFAULT_LIMIT)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new GatewayError('invalid_field', {
    param: 'limit',
    message: `The parameter "limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
  })
}
