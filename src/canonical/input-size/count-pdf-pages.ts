/** The bytes that are taken for a page where pages cannot be counted: many files hold their objects compressed. */
const BYTES_A_PAGE = 40_000
/** A larger file is not looked through: that would hold up everyone else. */
const MAX_SEARCHED_CHARACTERS = 4 * 1024 * 1024

/** Estimates the number of a PDF's pages, at least one, from its objects as they stand: none is unpacked. */
export function countPdfPages(base64: string): number {
  const stated = base64.length > MAX_SEARCHED_CHARACTERS ? 0 : countStatedPages(base64)
  const bytes = (base64.length / 4) * 3
  return stated > 0 ? stated : Math.max(1, Math.round(bytes / BYTES_A_PAGE))
}

function countStatedPages(base64: string): number {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
}
