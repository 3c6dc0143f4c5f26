import type { z } from 'zod'
import { Refusal } from './conversation.ts'

/** The value as the schema describes it. Throws `Refusal` that names what is wrong and where. */
export function checkSchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const issues = checked.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${describe(issue)}`)
  throw new Refusal(issues.join('; '))
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  return `${issue.message} (${issue.errors
    .flat()
    .map((one) => `${one.path.join('.')}: ${one.message}`)
    .join(' | ')})`
}
