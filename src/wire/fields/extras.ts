import type { Extras, FieldOwner } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { type InnerObjects, innerObjects } from './inner-objects.ts'

/**
 * A format's own fields for which the canonical form has no name. They are read along with the named fields and written
 * back by the same format. One rule applies to all formats: an unknown field never changes a known field.
 */
export interface FormatExtras {
  /**
   * Returns the leftovers of an object and of the objects inside it. The inner leftovers are under the names of their
   * fields.
   */
  toExtras(
    leftovers: JsonObject | undefined,
    inner?: Readonly<Record<string, JsonValue | undefined>>,
  ): { readonly extras?: Extras }
  /**
   * Adds the format's own fields to the written ones. Fields of another format are lost, and each loss names its field.
   */
  withExtras(written: JsonObject, extras: Extras | undefined, at: ExtrasContext): JsonObject
}

export interface ExtrasContext {
  readonly losses: LossList
  /** The path of the fields, such as `messages.content`; empty for the body itself. */
  readonly path: string
}

const none: { readonly extras?: Extras } = Object.freeze({})

const noFields: Readonly<Record<string, never>> = Object.freeze({})

export function extrasOf(format: FieldOwner): FormatExtras {
  return {
    toExtras(leftovers, inner = noFields) {
      // This is the case for nearly every part of a conversation.
      const isAlone = Object.keys(inner).every((name) => inner[name] === undefined)
      if (leftovers === undefined && isAlone) return none
      // Leftovers without additions are passed on without a copy.
      const fields: JsonObject =
        isAlone && leftovers !== undefined ? leftovers : { ...leftovers, ...omitUndefined(inner) }
      return Object.keys(fields).length === 0 ? none : { extras: { format, fields } }
    },
    withExtras(written, extras, at) {
      if (extras === undefined) return written
      if (extras.format !== format) {
        loseExtras(extras, at)
        return written
      }
      const inner = innerObjects[format] ?? {}
      return joinInner(written, extras.fields, { inner, lose: (fieldPath) => loseField(fieldPath, at) })
    },
  }
}

/** Declares every field lost, whatever its format, for objects that cannot carry extra fields. */
export function loseExtras(extras: Extras | undefined, at: ExtrasContext): void {
  for (const fieldPath of extras === undefined ? [] : fieldPaths(extras)) loseField(fieldPath, at)
}

function loseField(fieldPath: string, { losses, path }: ExtrasContext): void {
  const field = path === '' ? fieldPath : `${path}.${fieldPath}`
  losses.lose('foreign-field', 'dropped', field)
}

/** Joins two objects. Written fields win at every level where both have objects. A written null has no effect. */
export function joinFields(written: JsonObject, more: JsonObject): JsonObject {
  return joinInner(written, more, undefined)
}

interface HalfObjects {
  readonly inner: InnerObjects
  lose(fieldPath: string): void
}

/**
 * Adds the leftovers of a named object only if that object itself was written. A server would reject an incomplete
 * object, or read it as something else.
 */
function joinInner(written: JsonObject, more: JsonObject, halves: HalfObjects | undefined): JsonObject {
  const joined = new Map(Object.entries(written))
  for (const [name, value] of Object.entries(more)) {
    const before = joined.get(name) ?? undefined
    const isInner = halves !== undefined && Object.hasOwn(halves.inner, name) && isJsonObject(value)
    const inside = isInner ? insideOf(name, halves) : undefined
    if (isJsonObject(before)) {
      if (isJsonObject(value)) joined.set(name, joinInner(before, value, inside))
    } else if (before === undefined) {
      const whole = isInner ? withoutHalf(name, value, inside) : value
      if (whole !== undefined) joined.set(name, whole)
    }
  }
  return Object.fromEntries(joined)
}

function insideOf(name: string, { inner, lose }: HalfObjects): HalfObjects {
  return { inner, lose: (fieldPath) => lose(`${name}.${fieldPath}`) }
}

/** Returns an inner object that was not written, if its remaining members have an effect by themselves. */
function withoutHalf(
  name: string,
  value: JsonObject,
  halves: HalfObjects | undefined,
): JsonObject | undefined {
  const head = halves?.inner[name]
  if (typeof head === 'string' && !Object.hasOwn(value, head)) {
    for (const member of Object.keys(value)) halves?.lose(member)
    return undefined
  }
  const whole = joinInner({}, value, halves)
  return Object.keys(whole).length === 0 ? undefined : whole
}

/** Returns the names of fields that only one format has. A field inside a part has the part's name in front. */
function fieldPaths({ format, fields }: Extras): readonly string[] {
  return pathsOf(fields, innerObjects[format] ?? {})
}

function pathsOf(fields: JsonObject, inner: InnerObjects): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    Object.hasOwn(inner, name) && isJsonObject(value)
      ? pathsOf(value, inner).map((path) => `${name}.${path}`)
      : [name],
  )
}
