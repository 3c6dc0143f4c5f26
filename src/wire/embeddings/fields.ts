/** The fields of a request that the canonical form names; all others travel as they are. */
export const requestFields: ReadonlySet<string> = new Set([
  'dimensions',
  'encoding_format',
  'input',
  'model',
  'user',
])

/** The fields of an answer that the canonical form names or that are made anew. */
export const replyFields: ReadonlySet<string> = new Set(['data', 'model', 'object', 'usage'])
