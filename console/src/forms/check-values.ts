import type { ZodType } from 'zod'

export interface Checked<Output> {
  readonly output: { readonly value: Output } | undefined
  readonly errors: Readonly<Record<string, string>>
  readonly problem: string | undefined
}

/** The typed values as the schema reads them, or the first error of each field. */
export function check<Output>(schema: ZodType<Output>, values: unknown): Checked<Output> {
  const read = schema.safeParse(values)
  if (read.success) return { output: { value: read.data }, errors: {}, problem: undefined }
  const errors: Record<string, string> = {}
  let problem: string | undefined
  for (const { path, message } of read.error.issues) {
    const field = path.map(String).join('.')
    if (field === '') problem ??= message
    else errors[field] ??= message
  }
  return { output: undefined, errors, problem }
}
