import { type KeyQuery, keySorts } from '../../access/key-store.ts'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { readListCursor, readSort } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { readInput } from '../read-input.ts'
import { type ListKeys, listKeysSchema } from './key-contract.ts'

interface QueryContext {
  readonly ownedBy: OwnedBy | undefined
  readonly nowMs: number
}

export function readKeyQuery(input: ListKeys, { ownedBy, nowMs }: QueryContext): KeyQuery {
  const asked = readInput(listKeysSchema, input)
  const { by, descending } = readSort(asked.sort, keySorts)
  return {
    search: asked.q,
    user: asked.user,
    group: asked.group,
    status: asked.status,
    includeRevoked: asked.include_revoked === 'true',
    ownedBy,
    nowMs,
    sort: by,
    descending,
    after: readListCursor(asked.after, by === 'name' ? 'string' : 'number'),
    limit: asked.limit ?? DEFAULT_PAGE_ROWS,
  }
}
