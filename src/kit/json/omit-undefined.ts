type WithoutUndefined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/**
 * Returns the object without the fields whose value is undefined, so that "absent" has one form. Returns the same
 * object where it has no such field. It makes no list of names and values, because it is called for each part of a
 * conversation.
 */
export function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const source = fields as Readonly<Record<string, unknown>>
  const names = Object.keys(fields)
  if (!names.some((name) => source[name] === undefined)) return fields as unknown as WithoutUndefined<Fields>
  const defined: Record<string, unknown> = {}
  for (const name of names) {
    const value = source[name]
    if (value !== undefined) defined[name] = value
  }
  return defined as unknown as WithoutUndefined<Fields>
}
