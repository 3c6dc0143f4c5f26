/** Options that set the groups of a user. */
export interface GroupOptions {
  readonly group?: readonly string[]
  readonly manages?: readonly string[]
}

/** Reads the group options. A manager of a group is also a member of it. */
export function readGroupOptions({ group = [], manages = [] }: GroupOptions) {
  return [
    ...group.filter((name) => !manages.includes(name)).map((name) => ({ group: name })),
    ...manages.map((name) => ({ group: name, manager: true })),
  ]
}
