import { GatewayError } from '../../canonical/failure.ts'
import type { RemoteObject, ShownDetail } from '../../stored-answers/remote-object.ts'
import type { ObjectCall } from '../batches/object-input.ts'

export interface PageBounds {
  readonly defaultSize: number
  readonly maxSize: number
}

export interface FoundPage {
  readonly objects: readonly RemoteObject[]
  /** The member with the token of the next page; empty if there is no next page. */
  readonly next: { readonly nextPageToken?: string }
}

/** A page of a key's objects, the newest first. Rejects with `invalid_field` for an invalid page size. */
export async function findShownPage(
  { request, remoteObjects, clock }: ObjectCall,
  type: ShownDetail['type'],
  { defaultSize, maxSize }: PageBounds,
): Promise<FoundPage> {
  const params = new URLSearchParams(request.query)
  // Google takes 0 for no page size.
  const size = Number(params.get('pageSize') ?? 0)
  if (!Number.isInteger(size) || size < 0)
    throw new GatewayError('invalid_field', {
      param: 'pageSize',
      message: 'The parameter "pageSize" must be a whole number from 0.',
    })
  const limit = size === 0 ? defaultSize : Math.min(size, maxSize)
  const after = params.get('pageToken') ?? undefined
  const page = { type, after: after === '' ? undefined : after, limit: limit + 1, isAscending: false }
  const found = await remoteObjects.list(request.caller.keyId, page)
  const last = found[limit - 1]
  return {
    objects: found.slice(0, limit).filter(({ expiresAtMs }) => expiresAtMs > clock.nowMs()),
    next: found.length > limit && last !== undefined ? { nextPageToken: last.id } : {},
  }
}
