/** The fields of an answer that the canonical form names or that are made anew. */
export const replyFields: ReadonlySet<string> = new Set(['data', 'model', 'object', 'usage'])
