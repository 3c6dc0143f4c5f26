import { queryOptions } from '@tanstack/react-query'
import {
  type CodeView,
  type CreditView,
  codeListSchema,
  creditListSchema,
} from '../../../../src/admin/credits/credit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { PageOf } from '../../api/use-pages.ts'

export async function fetchCredits(
  sort: string,
  after: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<CreditView>> {
  const query = { sort, after, limit: 100 }
  const page = await callApi({ path: '/credits', query, answer: creditListSchema, signal })
  return { rows: page.data, next: page.next_after }
}

/** The owner as the parameters of the operations, such as `{ key: 'ci' }` for `key:ci`. */
function ownerFields(owner: string): Readonly<Record<string, string>> {
  const colon = owner.indexOf(':')
  return { [owner.slice(0, colon)]: owner.slice(colon + 1) }
}

export const creditQuery = (owner: string) =>
  queryOptions({
    queryKey: ['credits', 'one', owner],
    queryFn: ({ signal }) =>
      callApi({ path: '/credits', query: ownerFields(owner), answer: creditListSchema, signal }),
    select: ({ data }) => data.find((credit) => credit.owner === owner) ?? null,
  })

export async function fetchCodes(
  before: string | number | undefined,
  signal: AbortSignal,
): Promise<PageOf<CodeView>> {
  const page = await callApi({
    path: '/codes',
    query: { before, limit: 100 },
    answer: codeListSchema,
    signal,
  })
  return { rows: page.data, next: page.next_before }
}
