export interface ClientError {
  /** The HTTP status that the library shows with the error. */
  readonly status: number | undefined
  /** All that it says, whatever it is wrapped in. */
  readonly words: string
}

/** The parts of an error that a program which uses the library can see. */
export function readClientError(error: unknown): ClientError {
  const chain = unwrap(error)
  const statuses = chain.flatMap((each) => [
    fieldOf(each, 'status'),
    fieldOf(each, 'statusCode'),
    fieldOf(each, 'status_code'),
  ])
  return {
    status: statuses.find((status) => typeof status === 'number'),
    words: chain.map((each) => String(fieldOf(each, 'message') ?? each)).join('; '),
  }
}

/** The error and those inside it. Libraries keep the first one as `cause` or, after retries, as `lastError`. */
function unwrap(error: unknown): readonly unknown[] {
  if (error === undefined || error === null) return []
  return [error, ...unwrap(fieldOf(error, 'lastError') ?? fieldOf(error, 'cause'))]
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
