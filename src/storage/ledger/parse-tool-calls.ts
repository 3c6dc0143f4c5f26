import { DamagedStoreError } from '../sqlite/damaged-store-error.ts'

/** Parses the packer's JSON of billed tool calls, by tool name. Throws where the text is damaged. */
export function parseToolCalls(text: string): Readonly<Record<string, number>> {
  const calls: unknown = JSON.parse(text)
  if (isCounts(calls)) return calls
  throw new DamagedStoreError('the ledger has a row whose calls of tools are damaged')
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((count) => typeof count === 'number')
}
