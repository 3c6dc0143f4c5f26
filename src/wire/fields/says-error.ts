/** A first word that is or ends in "error", such as `Error`, `[error` or `file_not_found_error`. */
const SAYS_ERROR = /^\W*(?:\w+_)?error/i

/**
 * Whether a result of a tool says by its first word that the tool failed. Formats without a mark for failed results
 * put the word in front of other texts. The time grows linearly with the text, which a caller chooses.
 */
export function saysError(text: string): boolean {
  return SAYS_ERROR.test(text)
}
