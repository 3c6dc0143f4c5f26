type WithoutUndefined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/** The object without the fields whose value is undefined, so that "absent" has one form. */
export function omitUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) kept[name] = value
  }
  return kept as unknown as WithoutUndefined<Fields>
}
