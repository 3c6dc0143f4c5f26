type WithoutUndefined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/**
 * The object without the fields whose value is undefined, so that "absent" has one form; itself where it has none.
 * Called for each part of a conversation, so that it makes no list of names and values.
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
