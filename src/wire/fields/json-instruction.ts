import type { OutputFormat } from '../../canonical/request.ts'

const JSON_ONLY =
  'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.'

/** The system instruction that asks for JSON, where the format itself cannot demand it. */
export function jsonInstruction(format: Exclude<OutputFormat, { readonly type: 'text' }>): string {
  if (format.type === 'json') return JSON_ONLY
  const { schema, description } = format
  const about = description === undefined ? '' : ` It is: ${description}`
  return `Answer with one JSON value and nothing else: no words before or after it, and no code fence around it.${about} The value must be valid against this JSON Schema:\n${JSON.stringify(schema)}`
}
