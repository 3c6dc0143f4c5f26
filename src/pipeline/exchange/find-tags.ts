import type { Caller } from '../../access/key.ts'
import { END_USER_TAG, type Tags } from '../../canonical/tags.ts'
import { MAX_CALLER_TAGS } from '../../wire/caller-labels.ts'
import { readTagsHeader, TAGS_HEADER } from '../../wire/read-tags-header.ts'
import type { Operation, ScannedRequest } from '../../wire/wire-format.ts'
import type { OperationRequest } from './caller-request.ts'

/**
 * The tags of a request. The tags of its key come first, then, where the key allows it, those of the header, then those
 * of the body. No request changes a tag of its key. Throws `GatewayError` for a header that is not a list of tags.
 */
export function findTags(
  { caller, headers }: Pick<OperationRequest, 'caller' | 'headers'>,
  format: Pick<Operation, 'readCallerLabels'>,
  scanned: ScannedRequest,
): Tags {
  if (!mayLabel(caller)) return caller.tags
  const { endUser, tags } = format.readCallerLabels(scanned)
  const customer = endUser === undefined ? {} : { [END_USER_TAG]: endUser }
  if (!caller.callerTags) return { ...customer, ...caller.tags }
  const header = headers[TAGS_HEADER]
  const named = header === undefined ? {} : readTagsHeader([header].flat().join(','))
  // The customer comes first, so that the customer's budget applies however many other tags there are.
  const own = Object.entries({ ...customer, ...tags, ...customer, ...named }).slice(0, MAX_CALLER_TAGS)
  return { ...Object.fromEntries(own), ...caller.tags }
}

/** Whether a request may name tags. A key with a budget for each customer needs the customer's name in its requests. */
function mayLabel({ callerTags, endUserBudget }: Caller): boolean {
  return callerTags || endUserBudget !== undefined
}
