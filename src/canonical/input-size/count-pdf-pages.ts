/** The bytes that count as one page where pages cannot be counted. Many files have compressed objects. */
const BYTES_A_PAGE = 40_000
/** A larger file is not searched, since the search would block all other requests. */
const MAX_SEARCHED_CHARACTERS = 4 * 1024 * 1024

/** Estimates the number of a PDF's pages, at least one, from its uncompressed objects. */
export function countPdfPages(base64: string): number {
  const stated = base64.length > MAX_SEARCHED_CHARACTERS ? 0 : countStatedPages(base64)
  const bytes = (base64.length / 4) * 3
  return stated > 0 ? stated : Math.max(1, Math.round(bytes / BYTES_A_PAGE))
}

function countStatedPages(base64: string): number {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
}
