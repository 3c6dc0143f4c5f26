/**
 * Thrown where a promise between two parts of the source does not hold. Neither a caller nor an operator can fix
 * that.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}
