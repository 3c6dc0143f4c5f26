import { type ApiCall, callApi } from './call-api.ts'

/** The rows of one request. */
const PAGE_ROWS = 1_000
const MAX_ROWS = 5_000

export interface Rows<Row> {
  readonly rows: readonly Row[]
  /** Whether there are no other rows. */
  readonly isComplete: boolean
}

export type Names = Rows<string>

interface ListAnswer<Row> {
  readonly data: readonly Row[]
  readonly next_after: string | number | null
}

type ListCall<Row> = Pick<ApiCall<ListAnswer<Row>>, 'path' | 'query' | 'answer' | 'signal'>

/** Reads a paged list for a choice or a picture that has no pages: all rows, or the first 5,000. */
export async function readRows<Row>({ query, ...call }: ListCall<Row>): Promise<Rows<Row>> {
  const rows: Row[] = []
  let after: string | number | undefined
  do {
    const page = await callApi({ ...call, query: { ...query, limit: PAGE_ROWS, after } })
    rows.push(...page.data)
    after = page.next_after ?? undefined
  } while (after !== undefined && rows.length < MAX_ROWS)
  return { rows, isComplete: after === undefined }
}

/** Reads the names of a paged list. */
export async function readNames(call: ListCall<{ readonly name: string }>): Promise<Names> {
  const { rows, isComplete } = await readRows(call)
  return { rows: rows.map(({ name }) => name), isComplete }
}
