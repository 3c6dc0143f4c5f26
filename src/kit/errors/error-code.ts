/** Node's code of an error, such as `ENOENT`. Undefined where the error has no code. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
