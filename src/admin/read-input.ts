import type { z } from 'zod'
import { GatewayError } from '../canonical/failure.ts'
import { findReservedNames } from '../config/check/find-reserved-names.ts'
import { writePath } from '../config/source/write-path.ts'
import { isJsonObject } from '../kit/json/json.ts'

/** The errors of input that is wrong. */
export const inputErrors = ['body_not_object', 'missing_field', 'invalid_field'] as const

/** Checks what a client of the admin API sent. Throws the error that names the first field at fault. */
export function readInput<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  refuseReservedName(value)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  if (!isJsonObject(value)) throw new GatewayError('body_not_object')
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const param = issue.keys.join(', ')
    throw new GatewayError('invalid_field', { param, message: `"${param}" is not a field of this request.` })
  }
  const param = issue?.path.map(String).join('.') ?? ''
  if (issue?.path.length === 1 && issue.code !== 'custom' && value[param] === undefined) {
    throw new GatewayError('missing_field', { param, message: `The field "${param}" is required.` })
  }
  throw new GatewayError('invalid_field', { param, message: `"${param}": ${issue?.message}.` })
}

/** Checks as `readInput` does, and gives what was sent: for what is handed on in the words of the API. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.input<Schema> {
  readInput(schema, value)
  return value as z.input<Schema>
}

/** Schemas would remove such a member silently. */
function refuseReservedName(value: unknown): void {
  const [reserved] = findReservedNames(value)
  if (reserved === undefined) return
  const param = writePath(reserved.path)
  throw new GatewayError('invalid_field', { param, message: `"${param}": ${reserved.message}.` })
}
