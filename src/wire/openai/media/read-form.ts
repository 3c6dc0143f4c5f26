import { GatewayError } from '../../../canonical/failure.ts'
import type { FormPart, UploadedForm } from '../../../canonical/uploads/uploaded-form.ts'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import type { JsonValue } from '../../../kit/json/json.ts'

/** The types of the fields that are not texts. */
export type FormTypes = Readonly<Record<string, 'boolean' | 'number'>>

type Field = JsonValue | JsonValue[] | { [name: string]: JsonValue }

/**
 * The texts of a form as the fields of a JSON body, as OpenAI's clients write them: lists are `name[]`, objects
 * `name[key]`. A file is a field that is true. Throws `GatewayError` where a field that is no list is sent twice.
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
    fields.set(name, true)
    return
  }
  if (key === undefined) {
    if (before !== undefined) throw sentTwice(part.name)
    fields.set(name, typed(part.value, types[name]))
  } else if (key === '') {
    fields.set(name, [...(Array.isArray(before) ? before : []), part.value])
  } else {
    const object = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {}
    fields.set(name, { ...object, [key]: part.value })
  }
}

/** A text that is no value of its type stays a text, which the reader of the field refuses. */
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
