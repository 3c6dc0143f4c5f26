import { GatewayError } from '../../../canonical/failure.ts'
import type { FormPart, UploadedForm } from '../../../canonical/uploads/uploaded-form.ts'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The types of the fields that are not strings. */
export type FormTypes = Readonly<Record<string, 'boolean' | 'number'>>

type Field = JsonValue | JsonValue[]

/**
 * Converts the fields of a form into a JSON body. OpenAI's clients write lists as `name[]` and objects as `name[key]`.
 * A file becomes a field with the value true. Throws `GatewayError` where a field that is not a list is sent twice, or
 * where one field has two shapes, since a provider could read another value than the gateway checks.
 */
export function readFormFields(form: UploadedForm, types: FormTypes): BodyBytes {
  const fields = new Map<string, Field>()
  for (const part of form.parts) addPart(fields, part, types)
  return BodyBytes.from([Buffer.from(JSON.stringify(Object.fromEntries(fields)))])
}

const NAME = /^([^[\]]+)(?:\[([^[\]]*)\])?$/

function addPart(fields: Map<string, Field>, part: FormPart, types: FormTypes): void {
  const [, name = part.name, key] = NAME.exec(part.name) ?? []
  const before = fields.get(name)
  if (part.type === 'file') {
    if (before !== undefined && before !== true) throw sentTwice(part.name)
    fields.set(name, true)
  } else if (key === undefined) {
    if (before !== undefined) throw sentTwice(part.name)
    fields.set(name, typed(part.value, types[name]))
  } else if (key === '') {
    if (before !== undefined && !Array.isArray(before)) throw sentTwice(part.name)
    fields.set(name, [...(before ?? []), part.value])
  } else {
    fields.set(name, { ...objectBefore(before, part.name, key), [key]: part.value })
  }
}

function objectBefore(before: Field | undefined, name: string, key: string): JsonObject {
  if (before === undefined) return {}
  if (!isJsonObject(before) || Object.hasOwn(before, key)) throw sentTwice(name)
  return before
}

/**
 * Converts a field's text to its type. A text that is not a value of the type stays a text, which the reader of the
 * field rejects.
 */
function typed(value: string, type: FormTypes[string] | undefined): JsonValue {
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  return value
}

function sentTwice(name: string): GatewayError {
  return new GatewayError('duplicate_field', {
    param: name,
    message: `The field "${name}" is present more than once in the form. Send it once.`,
  })
}
