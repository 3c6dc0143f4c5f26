import type { z } from 'zod'

/** The lines of a program's output that are JSON of one kind; all others are left out. */
export function readJsonLines<Schema extends z.ZodType>(
  output: string,
  schema: Schema,
): readonly z.output<Schema>[] {
  return output.split('\n').flatMap((line) => {
    const read = schema.safeParse(parseOrNothing(line))
    return read.success ? [read.data] : []
  })
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
