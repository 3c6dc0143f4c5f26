/** What a page takes where pages cannot be counted: many files hold their objects compressed. */
const BYTES_A_PAGE = 40_000

/** About how many pages a PDF has, at least one. Its objects are looked through as they stand, none unpacked. */
export function countPdfPages(base64: string): number {
  const bytes = Buffer.from(base64, 'base64')
  const stated = bytes.toString('latin1').match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
  return stated > 0 ? stated : Math.max(1, Math.round(bytes.length / BYTES_A_PAGE))
}
