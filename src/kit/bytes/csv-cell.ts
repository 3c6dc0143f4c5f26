/**
 * Matches the start of a cell that spreadsheet programs read as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const FORMULA = /^[=+\-@\t\r\n]/
const SPECIAL = /[",\r\n]/

/**
 * Writes a text as a cell of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets a leading
 * apostrophe, which marks it as text.
 */
export function writeCsvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
