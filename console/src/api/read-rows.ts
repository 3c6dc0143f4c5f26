import type { PageOf } from './use-pages.ts'

/** The rows of one request. */
export const WHOLE_PAGE_ROWS = 1_000
const MAX_ROWS = 5_000

export interface Rows<Row> {
  readonly rows: readonly Row[]
  /** Whether there are no other rows. */
  readonly isComplete: boolean
}

export type Names = Rows<string>

/** Reads a paged list to its end, for a choice or a picture that has no pages. Of many thousands it reads the first. */
export async function readRows<Row>(
  fetchPage: (after: string | number | undefined) => Promise<PageOf<Row>>,
): Promise<Rows<Row>> {
  const rows: Row[] = []
  let after: string | number | undefined
  do {
    const page = await fetchPage(after)
    rows.push(...page.rows)
    after = page.next ?? undefined
  } while (after !== undefined && rows.length < MAX_ROWS)
  return { rows, isComplete: after === undefined }
}
